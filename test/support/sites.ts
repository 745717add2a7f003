import { createServer, type Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import {
  expressNotFound,
  fastifyNotFound,
  handleNotFound,
  honoNotFound,
  koaNotFound,
  type Client,
  type NotFoundOptions,
} from '#clients/js/index.js';
import { listen, type Listening } from './listen.js';

export const OWN_404 = '<h1>This shop does not have that</h1>';
export const HOME = 'The shop is open.';
const NO_ORDER = { error: 'no such order' };

/** The options for all frameworks: the parameter of `userIp` differs by framework. */
export type SiteOptions = NotFoundOptions<unknown>;

/**
 * The same small site in each framework, as its customers write it: a page `/`, an answer of its own API that is a 404
 * with JSON (`/api/orders/1`), and a 404 page of its own.
 */
export const SITES: Record<string, (client: Client, options: SiteOptions) => Promise<Listening>> = {
  express: (client, options) => {
    const app = express();
    app.get('/', (_request, response) => response.send(HOME));
    app.get('/api/orders/1', (_request, response) => response.status(404).json(NO_ORDER));
    app.use(expressNotFound(client, options));
    app.use((_request, response) => response.status(404).send(OWN_404));
    return listen(createServer(app));
  },
  fastify: async (client, options) => {
    const app = fastify();
    app.get('/', () => HOME);
    app.get('/api/orders/1', (_request, reply) => reply.code(404).send(NO_ORDER));
    app.setNotFoundHandler({ preHandler: fastifyNotFound(client, options) }, (_request, reply) =>
      reply.code(404).type('text/html').send(OWN_404),
    );
    return listenTo(app);
  },
  koa: (client, options) => {
    const app = new Koa();
    app.use(koaNotFound(client, options));
    app.use((context) => {
      if (context.path === '/') context.body = HOME;
      else {
        context.status = 404;
        context.body = context.path === '/api/orders/1' ? NO_ORDER : OWN_404;
      }
    });
    return listen(createServer((request, response) => void app.callback()(request, response)));
  },
  hono: (client, options) => {
    const app = new Hono();
    app.use(honoNotFound(client, options));
    app.get('/', (context) => context.text(HOME));
    app.get('/api/orders/1', (context) => context.json(NO_ORDER, 404));
    app.notFound((context) => context.html(OWN_404, 404));
    return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
  'a handler of Fetch requests': (client, options) => {
    const pages: Record<string, () => Response> = {
      '/': () => new Response(HOME),
      '/api/orders/1': () => Response.json(NO_ORDER, { status: 404 }),
    };
    const answer = async (request: Request): Promise<Response> =>
      pages[new URL(request.url).pathname]?.() ??
      (await handleNotFound(request, { client, ...options })) ??
      new Response(OWN_404, { status: 404, headers: { 'Content-Type': 'text/html' } });
    return listen(createAdaptorServer({ fetch: answer }) as Server);
  },
};

/** The frameworks that can have our handler alone for missing pages, with the 404 text of the framework itself. */
export const WITHOUT_OWN_404: Record<string, [string, (client: Client, options: SiteOptions) => Promise<Listening>]> = {
  express: [
    'Cannot GET /nowhere',
    (client, options) => listen(createServer(express().use(expressNotFound(client, options)))),
  ],
  fastify: [
    '{"message":"Route GET:/nowhere not found","error":"Not Found","statusCode":404}',
    (client, options) => {
      const app = fastify();
      app.setNotFoundHandler(fastifyNotFound(client, options));
      return listenTo(app);
    },
  ],
  koa: [
    'Not Found',
    (client, options) => {
      const app = new Koa().use(koaNotFound(client, options));
      return listen(createServer((request, response) => void app.callback()(request, response)));
    },
  ],
  hono: [
    '404 Not Found',
    (client, options) =>
      listen(createAdaptorServer({ fetch: new Hono().notFound(honoNotFound(client, options)).fetch }) as Server),
  ],
};

async function listenTo(app: FastifyInstance): Promise<Listening> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { server: app.server, url, stop: () => app.close() };
}
