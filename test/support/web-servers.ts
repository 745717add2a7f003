import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../../scripts/service/throwaway-database.js';
import { until } from './until.js';

export type WebServerName = 'nginx' | 'apache2' | 'caddy' | 'haproxy';

export interface WebServer {
  url: string;
  /** Returns the status and Location of a path, which is sent as it is; `host` becomes the Host header. */
  ask(path: string, host?: string): Promise<{ status: number; location: string | undefined }>;
  stop(): Promise<void>;
}

/** The folder in which scripts/servers/fetch.sh puts the servers, if it ran. */
const FETCHED = join(process.env['PATHMEND_SERVERS_DIR'] ?? '/var/tmp/pathmend-servers', 'bin');

/** The program of a server; undefined where it is missing. */
export function webServerProgram(name: WebServerName): string | undefined {
  return serverProgram(name);
}

export function serverProgram(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), FETCHED, '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** A real server with these lines in its site's configuration; everything else is 404. `site`: paths that are pages. */
export async function startWebServer(
  name: WebServerName,
  rules: string,
  site: readonly string[] = [],
): Promise<WebServer> {
  const program = webServerProgram(name);
  if (program === undefined) throw new Error(`There is no ${name}: scripts/servers/fetch.sh fetches it.`);
  const folder = await mkdtemp(join(tmpdir(), `pathmend-${name}-`));
  await chmod(folder, 0o755);
  const port = await freePort();
  await writeFile(join(folder, 'rules'), rules);
  for (const path of site) {
    await mkdir(join(folder, 'site', path), { recursive: true });
    await writeFile(join(folder, 'site', path, 'index.html'), `<title>${path}</title>`);
  }
  await mkdir(join(folder, 'site'), { recursive: true });
  await writeFile(join(folder, 'config'), await configOf(name, folder, port, program, rules));
  const child = spawn(program, argsOf(name, join(folder, 'config'), folder), {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let serverLog = '';
  child.stdout.on('data', (chunk: Buffer) => (serverLog += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (serverLog += chunk.toString()));
  const closed = once(child, 'close');
  const ask: WebServer['ask'] = (path, host) => askRaw(port, path, host);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await closed;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(`${name} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${serverLog.slice(-2_000)}`);
      return ask('/').then(
        () => true,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, ask, stop };
}

function askRaw(port: number, path: string, host?: string): ReturnType<WebServer['ask']> {
  const headers = host === undefined ? {} : { host };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, agent: false, timeout: 5_000 }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, location: response.headers.location });
      });
    })
      .on('error', reject)
      .end();
  });
}

function argsOf(name: WebServerName, config: string, folder: string): string[] {
  switch (name) {
    case 'nginx':
      return ['-p', folder, '-c', config];
    case 'apache2':
      return ['-X', '-d', folder, '-f', config];
    case 'caddy':
      return ['run', '--config', config, '--adapter', 'caddyfile'];
    case 'haproxy':
      return ['-db', '-f', config];
  }
}

async function configOf(
  name: WebServerName,
  folder: string,
  port: number,
  program: string,
  rules: string,
): Promise<string> {
  const site = join(folder, 'site');
  switch (name) {
    case 'nginx': {
      // The lines may have a location that passes every request on; then files are not served.
      const files = /^location \/ \{\s*proxy_/m.test(rules)
        ? ''
        : 'location / { try_files $uri $uri/index.html =404; }';
      return `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; default_type text/html;
  server { listen 127.0.0.1:${port}; root ${site}; include ${folder}/rules; ${files} }
}`;
    }
    case 'apache2': {
      const listed = join(program, '..', 'apache2-modules');
      const modules = existsSync(listed) ? (await readFile(listed, 'utf8')).trim() : '/usr/lib/apache2/modules';
      return `ServerName localhost
PidFile ${folder}/pid
Listen 127.0.0.1:${port}
LoadModule mpm_event_module ${modules}/mod_mpm_event.so
LoadModule authz_core_module ${modules}/mod_authz_core.so
LoadModule alias_module ${modules}/mod_alias.so
LoadModule dir_module ${modules}/mod_dir.so
LoadModule rewrite_module ${modules}/mod_rewrite.so
LoadModule headers_module ${modules}/mod_headers.so
LoadModule proxy_module ${modules}/mod_proxy.so
LoadModule proxy_http_module ${modules}/mod_proxy_http.so
User nobody
Group nogroup
ErrorLog ${folder}/error.log
DocumentRoot ${site}
Include ${folder}/rules
`;
    }
    case 'caddy':
      return `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  import ${folder}/rules
  root * ${site}
  file_server
}`;
    case 'haproxy':
      return `defaults
  mode http
  timeout client 5s
  timeout server 5s
  timeout connect 5s
frontend site
  bind 127.0.0.1:${port}
${rules}
  http-request return status 404
`;
  }
}
