import { asObject, parseJson, PathmendError, refusal } from './errors.js';

const MAX_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 200;
const MAX_CONNECT_MS = 2_000;
const MAX_HEALTH_BYTES = 4_096;

/**
 * @typedef {{ url: string, key: string, fetch: typeof fetch }} Service where calls go
 * @typedef {object} Call
 * @property {'GET' | 'POST' | 'DELETE'} method
 * @property {string} path
 * @property {unknown} body
 * @property {number} timeoutMs for each attempt, the reading of its answer included
 * @property {number} maxBytes of the answer
 * @property {number} retries
 * @property {boolean} repeatable whether a call that may have been carried out may be sent again
 * @property {AbortSignal | undefined} signal the caller's
 * @property {Record<string, string> | undefined} [headers]
 */

/**
 * Opens a connection before the first visitor comes, who would wait for it in vain on a slow machine.
 * @param {Service} service
 */
export async function connect(service) {
  const signal = AbortSignal.timeout(MAX_CONNECT_MS);
  const response = await service.fetch(`${service.url}/healthz`, { redirect: 'manual', signal });
  await readText(response, MAX_HEALTH_BYTES);
}

/**
 * Sends a call, again where that can help: after 429 and 503, which say that nothing was done, and, when the call is
 * repeatable, after errors of the server or the network.
 * @param {Service} service
 * @param {Call} call
 * @returns {Promise<{ answer: Record<string, unknown>, headers: Headers }>} the JSON, without fields if there is none
 * @throws PathmendError, or the signal's reason
 */
export async function send(service, call) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await sendOnce(service, call);
    } catch (error) {
      const wait = attempt < call.retries ? waitAfter(error, attempt, call.repeatable) : undefined;
      if (wait === undefined) throw error;
      await pause(wait, call.signal);
    }
  }
}

/**
 * @param {Service} service
 * @param {Call} call
 */
async function sendOnce(service, { method, path, body, timeoutMs, maxBytes, signal, headers }) {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await service.fetch(service.url + path, {
      method,
      headers: { ...headers, Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      // pathmend never redirects these calls. The key is for it alone.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    const text = await readText(response, maxBytes);
    if (!response.ok) throw refusal(response, text);
    if (response.status === 204) return { answer: {}, headers: response.headers };
    const answer = parseJson(text);
    if (typeof answer !== 'object' || answer === null)
      throw new PathmendError('pathmend answered with something that is not JSON.', { code: 'wrong_answer' });
    return { answer: asObject(answer), headers: response.headers };
  } catch (error) {
    if (error instanceof PathmendError) throw error;
    if (signal?.aborted) throw signal.reason;
    if (timeout.aborted)
      throw new PathmendError(`pathmend did not answer within ${timeoutMs} ms.`, { code: 'timeout', cause: error });
    throw new PathmendError(`pathmend cannot be reached: ${reasonOf(error)}`, { code: 'unreachable', cause: error });
  }
}

/**
 * @param {Response} response
 * @param {number} maxBytes
 */
async function readText(response, maxBytes) {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new PathmendError(`pathmend's answer has more than ${maxBytes} bytes.`, { code: 'wrong_answer' });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * @param {unknown} error
 * @param {number} attempt from 0 on
 * @param {boolean} repeatable
 * @returns {number | undefined} milliseconds; undefined where sending it again does not help, or not soon
 */
function waitAfter(error, attempt, repeatable) {
  if (!(error instanceof PathmendError)) return undefined;
  const { status, retryAfterMs } = error;
  const undone = status === 429 || status === 503;
  if (!undone && !(repeatable && (status === undefined || status >= 500))) return undefined;
  const wait = retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt * (1 + Math.random());
  return wait > MAX_WAIT_MS ? undefined : wait;
}

/**
 * @param {number} ms
 * @param {AbortSignal | undefined} signal
 */
async function pause(ms, signal) {
  signal?.throwIfAborted();
  await new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(undefined);
    };
    const timer = setTimeout(stop, ms);
    signal?.addEventListener('abort', stop);
  });
  signal?.throwIfAborted();
}

/** @param {unknown} error fetch's, whose cause says more than its message */
function reasonOf(error) {
  const { message, cause } = asObject(error);
  return String(asObject(cause)['message'] || message);
}
