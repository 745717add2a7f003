import { OperatorError } from '../../base/errors.js';
import { visitorAddress } from '../ip-address.js';
import { parseIsoTime, parseLogTime } from '../parse-time.js';
import { nullIfEmpty, refuse, siteOf, splitRequestLine, splitTarget, type ReadLine } from './logged-request.js';

type Row = Record<string, unknown>;

/**
 * The keys under which a log may have each field, the preferred one first: those of nginx's variables, Logstash's
 * patterns, the Elastic Common Schema (nested or with dots), Traefik, Cloudflare's Logpush and Google's load balancers.
 * docs/reference/analytics.md lists them. `path` is not among them, because Logstash uses it for the path of the log
 * file.
 */
export const JSON_KEYS = {
  time: words('time_iso8601 @timestamp time_local timestamp StartUTC EdgeStartTimestamp time msec ts'),
  status: words('status http.response.status_code DownstreamStatus EdgeResponseStatus httpRequest.status response'),
  method: words(
    'request_method http.request.method RequestMethod ClientRequestMethod httpRequest.requestMethod method verb',
  ),
  path: words('request_uri url.original RequestPath ClientRequestURI httpRequest.requestUrl request uri url.path'),
  query: words('args query_string url.query'),
  referrer: words(
    'http_referer http.request.referrer request_Referer ClientRequestReferer httpRequest.referer referer referrer',
  ),
  user_agent: words(
    'http_user_agent user_agent.original request_User-Agent ClientRequestUserAgent httpRequest.userAgent user_agent agent',
  ),
  ip: words('remote_addr client.ip source.ip ClientHost ClientIP httpRequest.remoteIp clientip client_ip remote_ip'),
  forwarded: words(
    'http_x_forwarded_for x_forwarded_for x-forwarded-for X-Forwarded-For request_X-Forwarded-For xff forwarded_for ' +
      'http_forwarded forwarded network.forwarded_ip http_x_real_ip x_real_ip',
  ),
  scheme: words('scheme url.scheme RequestScheme ClientRequestScheme'),
  host: words('host http_host url.domain RequestHost ClientRequestHost server_name'),
};

function words(text: string): readonly string[] {
  return text.split(' ');
}

type Name = keyof typeof JSON_KEYS;
type JsonKeys = Readonly<Record<Name, readonly string[]>>;

/** Reads `path=RequestPath,time=StartUTC`, keys in place of the usual ones. @throws OperatorError of a wrong part */
export function readFields(fields: string): JsonKeys {
  const keys: Record<string, readonly string[]> = { ...JSON_KEYS };
  for (const part of fields.split(',')) {
    const [, name = '', key = ''] = /^\s*([a-z_]+)=(.*\S)\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(JSON_KEYS, name) || key === '')
      throw new OperatorError(
        `--fields: ${JSON.stringify(part)} is not like path=RequestPath. Fields are ${Object.keys(JSON_KEYS).join(', ')}.`,
      );
    keys[name] = [key];
  }
  return keys as JsonKeys;
}

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
  return textOf(row, JSON_KEYS.status) !== null && textOf(row, JSON_KEYS.time) !== null;
}

export function readJsonLine(line: string, keys = JSON_KEYS): ReadLine {
  const row = parseRow(line);
  const text = (name: Name): string | null => textOf(row ?? {}, keys[name]);
  if (!row) return refuse('not a JSON object');
  for (const name of ['time', 'status', 'path'] as const)
    if (text(name) === null) return refuse(`it has none of ${keys[name].join(', ')}`);
  const at = parseAnyTime(text('time') ?? '');
  const status = parseStatus(text('status') ?? '');
  if (!at) return refuse(`its time cannot be read: ${JSON.stringify(text('time')?.slice(0, 40))}`);
  if (status === undefined) return refuse(`its status is not a number: ${text('status')?.slice(0, 40) ?? ''}`);
  const target = text('path') ?? '';
  // With nginx, `request` is a whole request line; with Logstash, only its target.
  const split = splitRequestLine(target);
  const { path, origin } = splitTarget(split?.target ?? target);
  const query = text('query');
  return {
    at,
    status,
    method: text('method') ?? split?.method ?? 'GET',
    path: query === null || path.includes('?') ? path : `${path}?${query.replace(/^\?/, '')}`,
    origin: origin ?? siteOf(text('scheme'), text('host')),
    referrer: text('referrer'),
    // Logstash's pattern leaves the quotes around the user agent.
    userAgent: text('user_agent')?.replace(/^"(.*)"$/s, '$1') ?? null,
    ip: visitorAddress([...textsOf(row, keys.ip), ...textsOf(row, keys.forwarded)]),
  };
}

/** Reads a line of Caddy's log. Returns undefined for a line of another of its loggers. */
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
    // Until Caddy 2.5, the key of the address was remote_addr, and its value had the port.
    ip: visitorAddress([
      ...[request['client_ip'], request['remote_ip'], request['remote_addr']].map(scalar).filter((ip) => ip !== null),
      ...[header('X-Forwarded-For'), header('Forwarded')],
    ]),
  };
}

/** Whether Caddy's access log wrote the row. Caddy's error log has the same requests again. */
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

function textOf(row: Row, keys: readonly string[]): string | null {
  return textsOf(row, keys)[0] ?? null;
}

/** Returns the values of those keys that the row has. */
function textsOf(row: Row, keys: readonly string[]): string[] {
  return keys
    .map((key) => scalar(get(row, key)) ?? scalar(key.includes('.') ? key.split('.').reduce<unknown>(get, row) : null))
    .filter((value) => value !== null);
}

function get(value: unknown, key: string): unknown {
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

/** Parses ISO 8601, a text log's time, or a number since 1970: of seconds, or if it is too large, of ms, µs or ns. */
function parseAnyTime(time: string): Date | undefined {
  if (!/^\d+(?:\.\d+)?$/.test(time)) return parseIsoTime(time) ?? parseLogTime(time);
  const number = Number(time);
  const inMs = number < 1e11 ? number * 1e3 : number < 1e14 ? number : number < 1e17 ? number / 1e3 : number / 1e6;
  const date = new Date(Math.round(inMs));
  return Number.isNaN(date.getTime()) ? undefined : date;
}
