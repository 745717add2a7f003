/** A call that pathmend refused, answered wrongly, or did not answer in time: see index.d.ts. */
export class PathmendError extends Error {
  /**
   * @param {string} message
   * @param {{ code: string, status?: number, param?: string, details?: Record<string, unknown>, requestId?: string,
   *   retryAfterMs?: number, cause?: unknown }} what
   */
  constructor(message, { cause, ...what }) {
    super(message, { cause });
    this.name = 'PathmendError';
    this.code = what.code;
    /** @type {number | undefined} */
    this.status = what.status;
    /** @type {string | undefined} */
    this.param = what.param;
    /** @type {Record<string, unknown> | undefined} */
    this.details = what.details;
    /** @type {string | undefined} */
    this.requestId = what.requestId;
    /** @type {number | undefined} */
    this.retryAfterMs = what.retryAfterMs;
  }
}

/**
 * Tells what a response with an error status says, whoever wrote it: pathmend, or a proxy before it.
 * @param {Response} response
 * @param {string} text its body
 */
export function refusal(response, text) {
  const { status, headers } = response;
  const { error } = asObject(parseJson(text));
  const { code, message, param, details } = asObject(error);
  return new PathmendError(typeof message === 'string' ? message : `pathmend answered with status ${status}.`, {
    status,
    code: typeof code === 'string' ? code : 'wrong_answer',
    ...(typeof param === 'string' ? { param } : {}),
    ...(details === undefined ? {} : { details: asObject(details) }),
    ...(headers.has('x-request-id') ? { requestId: headers.get('x-request-id') ?? '' } : {}),
    ...retryAfter(headers.get('retry-after')),
  });
}

/**
 * Seconds, as pathmend sends them, or a date, as some proxies do.
 * @param {string | null} header
 */
function retryAfter(header) {
  if (header === null) return {};
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, ms) };
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>} without fields where it is not an object
 */
export function asObject(value) {
  return typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}

/**
 * @param {string} text
 * @returns {unknown} undefined where it is not JSON
 */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
