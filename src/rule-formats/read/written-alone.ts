import { OperatorError } from '../../base/errors.js';

/**
 * Exports write rules for these servers, and no import reads them. `file` and `line` tell their files by name or line.
 */
const SERVERS: readonly { name: string; format: RegExp; file: RegExp; line: RegExp }[] = [
  {
    format: /^caddy$/,
    name: 'Caddy',
    file: /(?:^|\/)Caddyfile$|\.caddy(?:file)?$/i,
    line: /^\s*(?:redir\s|@[\w-]+\s|(?:route|handle|handle_path)\s.*\{\s*$)/,
  },
  {
    format: /^haproxy$/,
    name: 'HAProxy',
    file: /(?:^|\/)haproxy(?:[^/]*\.cfg|\.conf)$/i,
    line: /^\s*(?:http-request|redirect\s+(?:location|prefix|scheme))\s/,
  },
  // No format that is read is YAML.
  {
    format: /^traefik$/,
    name: 'Traefik (YAML)',
    file: /\.ya?ml$/i,
    line: /^\s*(?:http:\s*$|\[{1,2}\s*http\b[^,]*\]\s*$)/i,
  },
];

/**
 * Refuses what is of a server whose rules are written and not read: a format, a file by its name, or a line.
 * @throws OperatorError
 */
export function refuseWritten(kind: 'format' | 'file' | 'line', text: string): void {
  const server = SERVERS.find((known) => known[kind].test(text));
  if (server)
    throw new OperatorError(
      `Rules of ${server.name} are written by \`redirects export\`, and not read: bring them as CSV with the columns old,new,status, or as JSON lines {"path": …, "expected": …}.`,
    );
}
