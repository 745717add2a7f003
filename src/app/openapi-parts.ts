import { ERROR_CATALOGUE, type ErrorCode } from '../base/errors.js';

export const INTRODUCTION = `A visitor follows a dead link. Your site's server asks pathmend which live page was meant, and sends the visitor there or
offers a few links.

**Who calls it.** Your server, never a browser: the API key must stay secret. The key also names the project, so no request
does. There are no CORS headers.

**Quick start.** Make a project and a key, push a page, and ask for a path that is not there any more:

\`\`\`sh
node dist/cli.js project create --name mysite
node dist/cli.js key create --project mysite --mode live
curl -s http://127.0.0.1:8080/v1/pages/upsert -H "Authorization: Bearer $KEY" \\
  -d '{"url": "https://www.example.com/help/returns", "content": "How to send a parcel back, and when your money arrives."}'
curl -s http://127.0.0.1:8080/v1/suggest -H "Authorization: Bearer $KEY" -d '{"path": "/support/return-a-parcel"}'
\`\`\`

**Bodies** are JSON objects, whatever their Content-Type says. A field that no operation knows is ignored, and named in
\`X-Pathmend-Warning\`. **Errors** have one form, \`{"error": {"code", "message", "param", "details"}}\`; \`param\` is the dotted
path of the field that is wrong. **Rates** are a bucket of reads and one of writes for each project, shown in \`X-RateLimit-*\`;
after 429 or 503, wait for \`Retry-After\` seconds. Fields may be added to answers within v1; none is removed or changed.
`;

export const TAGS = [
  { name: 'Search', description: 'Which pages a dead path or a question means.' },
  { name: 'Pages', description: 'What is searched: the pages that you push.' },
  { name: 'Rules', description: 'Where old paths lead, by the word of the owner.' },
  { name: 'Events', description: 'What visitors did: analytics, and what clicks teach.' },
];

export function tagOf(path: string): string {
  if (path.startsWith('/v1/pages') || path === '/v1/llms.txt') return 'Pages';
  if (path.startsWith('/v1/rules')) return 'Rules';
  return path === '/v1/events' || path === '/v1/click' ? 'Events' : 'Search';
}

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
