import { sharedOf } from '../client.js';
import { recover } from '../recover.js';
import { nodeHeader } from './node-headers.js';

/** @type {typeof import('../../index.js').koaNotFound} */
export function koaNotFound(client, options = {}) {
  sharedOf(client).warmUp();
  return async (context, next) => {
    await next();
    const { body } = context;
    // A 404 with the site's own data, such as JSON about an order that does not exist, stays as it is.
    const hasOwnBody = body !== undefined && body !== null && context.response.is('html', 'text') === false;
    if (context.status !== 404 || hasOwnBody || context.headerSent || context.respond === false) return;
    const answer = await recover(
      client,
      {
        method: context.method,
        target: context.originalUrl,
        header: (name) => nodeHeader(context.headers, name),
        ip: options.userIp ? options.userIp(context.req) : context.ip,
        origin: `${context.protocol}://${context.host}`,
      },
      options,
    );
    if (!answer) return;
    const { Vary: vary, ...headers } = answer.headers;
    context.body = answer.body;
    context.status = answer.status;
    context.set(headers);
    if (vary) context.vary(vary);
  };
}
