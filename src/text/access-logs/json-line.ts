import { visitorAddress } from '../ip-address.js';
import { parseIsoTime, parseLogTime } from '../parse-time.js';
import { nullIfEmpty, refuse, siteOf, splitRequestLine, splitTarget, type ReadLine } from './logged-request.js';

type Row = Record<string, unknown>;

/**
 * What a key may be called: by nginx's variables, Logstash's patterns and the Elastic Common Schema (nested or with
 * dots). docs/reference/analytics.md lists them. Not `path`, which Logstash gives the log file.
 */
export const JSON_KEYS = {
  time: ['time_iso8601', '@timestamp', 'time_local', 'timestamp', 'time', 'msec', 'ts'],
  status: ['status', 'http.response.status_code', 'response'],
  method: ['request_method', 'http.request.method', 'method', 'verb'],
  target: ['request_uri', 'url.original', 'request', 'uri', 'url.path'],
  query: ['args', 'query_string', 'url.query'],
  referrer: ['http_referer', 'http.request.referrer', 'referer', 'referrer'],
  userAgent: ['http_user_agent', 'user_agent.original', 'user_agent', 'agent'],
  ip: ['remote_addr', 'client.ip', 'source.ip', 'clientip', 'client_ip', 'remote_ip'],
  forwarded: [
    ...['http_x_forwarded_for', 'x_forwarded_for', 'x-forwarded-for', 'X-Forwarded-For', 'xff', 'forwarded_for'],
    ...['http_forwarded', 'forwarded', 'network.forwarded_ip', 'http_x_real_ip', 'x_real_ip'],
  ],
  scheme: ['scheme', 'url.scheme'],
  host: ['host', 'http_host', 'url.domain', 'server_name'],
} as const;

type Name = keyof typeof JSON_KEYS;

export function parseRow(line: string): Row | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a row could be a request: it has a status and a time. */
export function hasStatus(row: Row): boolean {
  return text(row, 'status') !== null && text(row, 'time') !== null;
}

export function readJsonLine(line: string): ReadLine {
  const row = parseRow(line);
  if (!row) return refuse('not a JSON object');
  for (const name of ['time', 'status', 'target'] as const)
    if (text(row, name) === null) return refuse(`it has none of ${JSON_KEYS[name].join(', ')}`);
  const at = parseAnyTime(text(row, 'time') ?? '');
  const status = parseStatus(text(row, 'status') ?? '');
  if (!at) return refuse(`its time cannot be read: ${JSON.stringify(text(row, 'time')?.slice(0, 40))}`);
  if (status === undefined) return refuse(`its status is not a number: ${text(row, 'status')?.slice(0, 40) ?? ''}`);
  const said = text(row, 'target') ?? '';
  // `request` is a whole request line with nginx, its target with Logstash.
  const split = splitRequestLine(said);
  const { path, origin } = splitTarget(split?.target ?? said);
  const query = text(row, 'query');
  return {
    at,
    status,
    method: text(row, 'method') ?? split?.method ?? 'GET',
    path: query === null || path.includes('?') ? path : `${path}?${query.replace(/^\?/, '')}`,
    origin: origin ?? siteOf(text(row, 'scheme'), text(row, 'host')),
    referrer: text(row, 'referrer'),
    userAgent: text(row, 'userAgent'),
    ip: visitorAddress([...texts(row, 'ip'), ...texts(row, 'forwarded')]),
  };
}

/** Reads a line of Caddy's log. What its other loggers wrote is passed over. */
export function readCaddyLine(line: string): ReadLine {
  const row = parseRow(line);
  if (!row) return refuse('not a JSON object');
  if (!isCaddyRequest(row)) return undefined;
  const request = row['request'] as Row;
  const at = parseAnyTime(scalar(row['ts']) ?? '');
  if (!at) return refuse('it has no ts that is a time');
  const header = (name: string): string | null => {
    const values = isRow(request['headers']) ? request['headers'][name] : undefined;
    return Array.isArray(values) ? scalar(values.join(', ')) : null;
  };
  const { path, origin } = splitTarget(scalar(request['uri']) ?? '');
  return {
    at,
    status: parseStatus(scalar(row['status']) ?? '') ?? 0,
    method: scalar(request['method']) ?? '',
    path,
    origin: origin ?? siteOf(isRow(request['tls']) ? 'https' : 'http', scalar(request['host'])),
    referrer: header('Referer'),
    userAgent: header('User-Agent'),
    // Until 2.5 it was remote_addr, with the port.
    ip: visitorAddress([
      ...[request['client_ip'], request['remote_ip'], request['remote_addr']].map(scalar).filter((ip) => ip !== null),
      ...[header('X-Forwarded-For'), header('Forwarded')],
    ]),
  };
}

/** Its error log repeats requests of the access log. */
export function isCaddyRequest(row: Row): boolean {
  const logger = row['logger'] ?? 'http.log.access';
  return isRow(row['request']) && typeof logger === 'string' && logger.startsWith('http.log.access');
}

/** Whether Caddy wrote a line other than a request of its access log. */
export function isCaddyNote(line: string): boolean {
  const row = line.startsWith('{') ? parseRow(line) : undefined;
  if (!row || isCaddyRequest(row)) return false;
  return typeof row['level'] === 'string' && typeof row['ts'] === 'number' && ('logger' in row || 'msg' in row);
}

function text(row: Row, name: Name): string | null {
  return texts(row, name)[0] ?? null;
}

function texts(row: Row, name: Name): string[] {
  return JSON_KEYS[name].flatMap((key) => {
    const value = scalar(own(row, key)) ?? scalar(key.includes('.') ? key.split('.').reduce<unknown>(own, row) : null);
    // Logstash's pattern leaves the quotes around a user agent.
    return value === null ? [] : [name === 'userAgent' ? value.replace(/^"(.*)"$/s, '$1') : value];
  });
}

function own(value: unknown, key: string): unknown {
  return isRow(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function scalar(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? nullIfEmpty(value) : null;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseStatus(status: string): number | undefined {
  return /^\d{3}$/.test(status) ? Number(status) : undefined;
}

/** ISO 8601, the time of a text log, or a number since 1970: seconds, or what is too large for these. */
function parseAnyTime(time: string): Date | undefined {
  if (!/^\d+(?:\.\d+)?$/.test(time)) return parseIsoTime(time) ?? parseLogTime(time);
  const number = Number(time);
  const inMs = number < 1e11 ? number * 1e3 : number < 1e14 ? number : number < 1e17 ? number / 1e3 : number / 1e6;
  const date = new Date(Math.round(inMs));
  return Number.isNaN(date.getTime()) ? undefined : date;
}
