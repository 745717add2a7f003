import { sharedOf } from '../client.js';
import { recover } from '../recover.js';
import { nodeHeader, withVary } from './node-headers.js';

/** @type {typeof import('../../index.js').fastifyNotFound} */
export function fastifyNotFound(client, options = {}) {
  sharedOf(client).warmUp();
  // Fastify gives `done` to a hook, and to the handler of missing pages nothing.
  return (request, reply, done) => {
    const { method, headers } = request;
    const { host } = headers;
    recover(
      client,
      {
        method,
        target: request.originalUrl,
        header: (name) => nodeHeader(headers, name),
        ip: options.userIp ? options.userIp(request) : request.ip,
        origin: host ? `${request.protocol}://${String(host)}` : undefined,
      },
      options,
    )
      .then((answer) => {
        if (answer) {
          void reply
            .code(answer.status)
            .headers(withVary(answer.headers, reply.getHeader('Vary')))
            .send(answer.body);
        } else if (done) done();
        else {
          const message = `Route ${method}:${request.originalUrl} not found`;
          void reply.code(404).send({ message, error: 'Not Found', statusCode: 404 });
        }
      })
      .catch((/** @type {unknown} */ error) => {
        if (done) done(/** @type {Error} */ (error));
        else void reply.send(error);
      });
  };
}
