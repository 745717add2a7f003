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
  { name: 'Events', description: 'What visitors did: analytics, and what clicks teach.' },
];

export function tagOf(path: string): string {
  if (path.startsWith('/v1/pages')) return 'Pages';
  return path.startsWith('/v1/events') ? 'Events' : 'Search';
}
