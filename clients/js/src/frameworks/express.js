import { sharedOf } from '../client.js';
import { recover } from '../recover.js';
import { nodeHeader, withVary } from './node-headers.js';

/** @type {typeof import('../../index.js').expressNotFound} */
export function expressNotFound(client, options = {}) {
  sharedOf(client).warmUp();
  return (request, response, next) => {
    if (response.headersSent) {
      next();
      return;
    }
    const { host } = request.headers;
    recover(
      client,
      {
        method: request.method ?? 'GET',
        target: request.originalUrl ?? request.url ?? '/',
        header: (name) => nodeHeader(request.headers, name),
        ip: options.userIp ? options.userIp(request) : (request.ip ?? request.socket?.remoteAddress),
        origin: host && request.protocol ? `${request.protocol}://${String(host)}` : undefined,
      },
      options,
    )
      .then((answer) => {
        if (!answer || response.headersSent) {
          next();
          return;
        }
        response.statusCode = answer.status;
        for (const [name, value] of Object.entries(withVary(answer.headers, response.getHeader('Vary'))))
          response.setHeader(name, value);
        response.end(request.method === 'HEAD' ? undefined : answer.body);
      })
      .catch(next);
  };
}
