import { OperatorError } from '../../base/errors.js';

/**
 * Exports write rules for these servers, and no import reads them. `file` and `line` tell their files by name or line.
 */
const SERVERS: readonly { format: string; name: string; file: RegExp; line: RegExp }[] = [
  {
    format: 'caddy',
    name: 'Caddy',
    file: /(?:^|\/)Caddyfile$|\.caddy(?:file)?$/i,
    line: /^\s*(?:redir\s|@[\w-]+\s|(?:route|handle|handle_path)\s.*\{\s*$)/,
  },
  {
    format: 'haproxy',
    name: 'HAProxy',
    file: /(?:^|\/)haproxy(?:[^/]*\.cfg|\.conf)$/i,
    line: /^\s*(?:http-request|redirect\s+(?:location|prefix|scheme))\s/,
  },
  // No format that is read is YAML.
  {
    format: 'traefik',
    name: 'Traefik (YAML)',
    file: /\.ya?ml$/i,
    line: /^\s*(?:http:\s*$|\[{1,2}\s*http\b[^,]*\]\s*$)/i,
  },
];

/**
 * Refuses a format that is written and not read.
 * @throws OperatorError
 */
export function refuseWrittenFormat(format: string): void {
  refuseServer(SERVERS.find((server) => server.format === format));
}

/**
 * Refuses a file by its name.
 * @throws OperatorError
 */
export function refuseWrittenFile(file: string): void {
  refuseServer(SERVERS.find((server) => server.file.test(file)));
}

/**
 * Refuses the whole file that has such a line.
 * @throws OperatorError
 */
export function refuseWrittenLine(line: string): void {
  refuseServer(SERVERS.find((server) => server.line.test(line)));
}

function refuseServer(server: { name: string } | undefined): void {
  if (server)
    throw new OperatorError(
      `Rules of ${server.name} are written by \`redirects export\`, and not read: bring them as CSV with the columns old,new,status, or as JSON lines {"path": …, "expected": …}.`,
    );
}
