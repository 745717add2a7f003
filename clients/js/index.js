export { createClient } from './src/client.js';
export { PathmendError } from './src/errors.js';
export { expressNotFound } from './src/frameworks/express.js';
export { fastifyNotFound } from './src/frameworks/fastify.js';
export { handleNotFound } from './src/frameworks/fetch.js';
export { honoNotFound } from './src/frameworks/hono.js';
export { koaNotFound } from './src/frameworks/koa.js';
