import { ERROR_CATALOGUE, type ErrorCode } from '../base/errors.js';

interface Header {
  description: string;
  schema: { type: 'string' | 'integer'; minimum?: number };
}

const text = (description: string): Header => ({ description, schema: { type: 'string' } });
const count = (description: string, minimum = 0): Header => ({ description, schema: { type: 'integer', minimum } });

export const HEADERS: Record<string, Header> = {
  'X-Request-Id': text("The id of the request, also in the log: the caller's own if it is a safe one, else a new one."),
  'X-RateLimit-Limit': count(
    "Requests that the project may send at once: its bucket's burst. Reads and writes have a bucket each.",
  ),
  'X-RateLimit-Remaining': count('Requests left in the bucket.'),
  'X-RateLimit-Reset': count('Unix seconds at which the bucket is full again.'),
  'Retry-After': count('Seconds to wait before the next try.', 1),
  'X-Pathmend-Warning': text(
    'Sent when the request has unknown fields, which are ignored: their names, and the fields that were probably meant.',
  ),
  'WWW-Authenticate': text('`Bearer`'),
  Allow: text('The methods that this address takes.'),
};

const RATE = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const BEFORE_THE_KEY: readonly ErrorCode[] = ['method_not_allowed', 'invalid_api_key'];

/** Headers of successful answers. */
export const ANSWER_HEADERS: readonly string[] = ['X-Request-Id', ...RATE, 'X-Pathmend-Warning'];

export function headersOfError(code: ErrorCode): string[] {
  const { status } = ERROR_CATALOGUE[code];
  return [
    'X-Request-Id',
    ...(BEFORE_THE_KEY.includes(code) ? [] : RATE),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 405 ? ['Allow'] : []),
    ...(status === 400 || status === 404 ? ['X-Pathmend-Warning'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
}

export function refersTo(headers: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
