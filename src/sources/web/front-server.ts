import type { IncomingHttpHeaders } from 'node:http';

/**
 * Names the server that answers a site's visitors, by the headers of a page. The name is a heading of
 * src/console/assets/server-lines.md; undefined where the headers show nothing, as behind a CDN.
 */
export function frontServer(headers: IncomingHttpHeaders): string | undefined {
  const [server, link, powered] = ['server', 'link', 'x-powered-by'].map((name) => String(headers[name] ?? ''));
  if (link?.includes('https://api.w.org/')) return 'WordPress';
  if (/^(?:nginx|openresty)\b/i.test(server ?? ''))
    return powered === '' ? 'nginx, a site of files' : 'nginx, before an application';
  return ['Apache', 'Caddy'].find((name) => server?.startsWith(name)) ?? (powered === 'Express' ? powered : undefined);
}
