import { recover } from '../recover.js';

/** @type {typeof import('../../index.js').handleNotFound} */
export async function handleNotFound(request, { client, ...options }) {
  const { origin, pathname, search } = new URL(request.url);
  const answer = await recover(
    client,
    {
      method: request.method,
      target: pathname + search,
      header: (name) => request.headers.get(name) ?? undefined,
      ip: options.userIp?.(request),
      origin,
      waitUntil: options.waitUntil,
    },
    options,
  );
  if (!answer) return undefined;
  const body = request.method === 'HEAD' || answer.body === '' ? null : answer.body;
  return new Response(body, { status: answer.status, headers: answer.headers });
}
