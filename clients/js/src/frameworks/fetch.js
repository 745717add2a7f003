import { recover } from '../recover.js';

/**
 * Requests that were asked about. Astro runs its middleware again to show a 404 page of its own: the second answer
 * would be one more event, and a redirect there gets status 404 and an empty page (seen in Astro 5.18).
 * @type {WeakSet<object>}
 */
const handledRequests = new WeakSet();

/** @type {typeof import('../../index.js').handleNotFound} */
export async function handleNotFound(request, { client, ...options }) {
  if (handledRequests.has(request)) return undefined;
  handledRequests.add(request);
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
