import { isIP } from 'node:net';
import { readForwarded, visitorAddress } from '../ip-address.js';
import { parseIsoTime, parseLogTime } from '../parse-time.js';
import { nullIfEmpty, refuse, siteAtPort, splitRequestLine, splitTarget, type ReadLine } from './logged-request.js';

const LINE =
  /^(\S+) ([^[]*)\[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?:$| "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"(?:\s|$))/;
/** A line with Traefik's last columns (count, router, service, duration): no quotation mark before them is escaped. */
const TRAEFIK_LINE =
  /^(\S+) ([^[]*)\[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-) "([^"]*)" "(.*)" \d+ "[^"]*" "[^"]*" \d+ms$/;

/** A column before the time, or a part of one, that may be an address. */
const ADDRESS = /(?<![^\s,"()])[\da-f]*[.:][\da-f.:]+(?![^\s,"()])/gi;

/** Reads a line of Apache's or nginx's `common` or `combined` log; also with the site in front (`vhost_combined`). */
export function readTextLine(line: string): ReadLine {
  const [all = '', first = '', columns = '', time = '', request = '', status, referrer, userAgent] =
    LINE.exec(line) ?? TRAEFIK_LINE.exec(line) ?? [];
  if (status === undefined) return refuse('not a line of a common or combined log');
  const at = parseLogTime(time);
  if (!at) return refuse(`its time is not like 10/Oct/2000:13:55:36 -0700: ${JSON.stringify(time.slice(0, 40))}`);
  const split = splitRequestLine(request);
  const { path, origin } = splitTarget(unescapeUrl(split?.target ?? ''));
  const [second = ''] = columns.split(' ', 1);
  const hasSite = isIP(first) === 0 && isIP(second) !== 0 && !/[,"]/.test(first);
  const addresses = readForwarded(`${first} ${columns}`.match(ADDRESS)?.join() ?? '') ?? [];
  return {
    at,
    status: Number(status),
    method: split?.method ?? '',
    path,
    origin: origin ?? (hasSite ? siteAtPort(/:(\d+)$/.exec(first)?.[1], first) : null),
    referrer: nullIfEmpty(unescapeUrl(referrer ?? '')),
    userAgent: nullIfEmpty(unescapeText(userAgent ?? '')),
    ip: visitorAddress([
      addresses.length > 1 ? addresses.join() : hasSite ? second : first,
      ...forwardedIn(line.slice(all.length)),
    ]),
  };
}

/** Columns: type, time, balancer, client, target, three durations, status of balancer and target, two sizes. */
const BALANCER_LINE =
  /^\S+ (\d{4}-\S+Z) \S+ (\S+) \S+ \S+ \S+ \S+ (\d{3}) (?:\d{3}|-) \d+ \d+ "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"/;

/** Reads a line of AWS's Application Load Balancer. */
export function readBalancerLine(line: string): ReadLine {
  const [, time = '', client = '', status, request = '', userAgent = ''] = BALANCER_LINE.exec(line) ?? [];
  const at = parseIsoTime(time);
  if (status === undefined || !at) return refuse('not a line of a load balancer');
  const split = splitRequestLine(request);
  return {
    at,
    status: Number(status),
    method: split?.method ?? '',
    ...splitTarget(unescapeUrl(split?.target ?? '')),
    referrer: null,
    userAgent: nullIfEmpty(unescapeText(userAgent)),
    ip: visitorAddress([client]),
  };
}

/** Returns the columns after the user agent that are addresses, without an upstream's: a port, and no quotes. */
function forwardedIn(rest: string): string[] {
  return [...rest.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].flatMap(([, quoted, bare = '']) => {
    const field = quoted ?? (/:\d+$/.test(bare) && isIP(bare) === 0 ? '' : bare);
    return readForwarded(field) ? [field] : [];
  });
}

const ESCAPED = /\\(?:x([0-9a-f]{2})|(.))/gis;
const CONTROLS: Record<string, string> = { b: '%08', t: '%09', n: '%0A', v: '%0B', f: '%0C', r: '%0D' };

/** Apache and nginx write bytes outside ASCII as `\xC3\xA9`, which is `%C3%A9` in a url. */
function unescapeUrl(text: string): string {
  return text.includes('\\')
    ? text.replace(ESCAPED, (all: string, hex?: string, character?: string) =>
        hex !== undefined ? `%${hex.toUpperCase()}` : unescapeCharacter(character, all, (code) => CONTROLS[code]),
      )
    : text;
}

function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = text.replace(/(?:\\x[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('\\x', ''), 'hex').toString(),
  );
  return bytes.replace(/\\(.)/gs, (all: string, character: string) => unescapeCharacter(character, all, () => ' '));
}

function unescapeCharacter(character: string | undefined, all: string, control: (c: string) => string | undefined) {
  if (character === '"' || character === '\\') return character;
  return (character !== undefined && character in CONTROLS ? control(character) : undefined) ?? all;
}
