export interface ServerLines {
  server: string;
  /** Where the lines belong. */
  where: string;
  lines: string;
}

/**
 * What makes a site's server ask for its 404s, as docs/start/missing-pages.md and the clients' READMEs have it
 * (test/unit/console/connect/server-lines.test.ts holds them together).
 *
 * @param url where the server reaches the API
 */
export function serverLines(url: string, key: string): ServerLines[] {
  return [
    {
      server: 'Express',
      where: `Set PATHMEND_URL=${url} and PATHMEND_KEY=${key}, install clients/js (pathmend-client), and add these lines after all routes. Its README covers Fastify, Koa, Hono, Next.js and others.`,
      lines: `import { createClient, expressNotFound } from 'pathmend-client';

const pathmend = createClient({ url: process.env.PATHMEND_URL, key: process.env.PATHMEND_KEY });
app.use(expressNotFound(pathmend, { onError: ({ message }) => console.warn(message) }));`,
    },
    {
      server: 'nginx',
      where: 'In the server block of the site.',
      lines: `error_page 404 = @pathmend;
recursive_error_pages on;
location @pathmend {
  # As a header: nginx cannot encode a parameter, which a & or + of the path would change.
  proxy_set_header X-Original-URI $request_uri;
  proxy_set_header X-Original-Host $host;
  rewrite ^ /v1/not-found? break;
  proxy_pass ${url};
  proxy_method GET;
  proxy_pass_request_body off;
  proxy_set_header Content-Length "";
  proxy_set_header Authorization "Bearer ${key}";
  proxy_set_header X-Forwarded-For $remote_addr;
  # When pathmend does not answer in time, the site's own page does.
  proxy_connect_timeout 150ms;
  proxy_read_timeout 500ms;
  proxy_intercept_errors on;
  error_page 400 401 403 429 500 502 503 504 =404 /404.html;
}`,
    },
    {
      server: 'Apache',
      where: 'In the virtual host of the site; requires mod_rewrite, mod_headers and mod_proxy_http.',
      lines: `ErrorDocument 404 /.pathmend
ProxyTimeout 1
RewriteEngine On
RewriteCond %{ENV:REDIRECT_STATUS} =404
RewriteCond %{THE_REQUEST} "^\\S+ ([^? ]*)"
RewriteRule ^/\\.pathmend$ ${url}/v1/not-found?url=%1 [P,B,NE]
<Location "/.pathmend">
  RequestHeader set Authorization "Bearer ${key}"
  RequestHeader set X-Original-Host expr=%{SERVER_NAME}
</Location>`,
    },
    {
      server: 'Caddy',
      where: 'In the site block.',
      lines: `handle_errors {
  @missing expression {err.status_code} == 404
  handle @missing {
    rewrite * /v1/not-found?url={http.request.orig_uri.path}
    reverse_proxy ${url} {
      method GET
      header_up Authorization "Bearer ${key}"
      header_up X-Original-Host {http.request.host}
      transport http {
        dial_timeout 150ms
        response_header_timeout 500ms
      }
    }
  }
}`,
    },
    {
      server: 'WordPress',
      where:
        'Copy clients/wordpress/pathmend.php into wp-content/plugins/, write these lines into wp-config.php above the line that says to stop editing, and activate the plugin. It also pushes pages as they change.',
      lines: `define('PATHMEND_URL', '${url}');
define('PATHMEND_KEY', '${key}');`,
    },
  ];
}
