import { isIP } from 'node:net';
import { readForwarded, visitorAddress } from '../ip-address.js';
import { parseLogTime } from '../parse-time.js';
import { refuse, siteOf, splitRequestLine, splitTarget, type ReadLine } from './logged-request.js';

/** Columns: client, time, frontend, backend, timers, status, bytes, cookies, counters, headers, request. */
const LINE = new RegExp(
  '^(\\S+):\\d+ \\[([^\\]\\s]+)\\.\\d{3}\\] (\\S+) \\S+ [\\d/+-]+ (-1|\\d{3}) \\+?\\d+ ' +
    '\\S+ \\S+ \\S{4} [\\d/+]+ [\\d/]+ ([^"]*)"([^"]*)"(?:\\s|$)',
);

/** HAProxy writes special characters as `#22`. */
const ENCODED = /(?:#[\dA-F]{2})+/g;

const HOST = /^[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?$/i;
const USER_AGENT = /^[\w.-]+\/\d/;

/** Reads a line of `option httplog` or `httpslog`. Values show which headers they are. The time is read as UTC. */
export function readHaproxyLine(line: string): ReadLine {
  const [, client = '', time = '', frontend = '', status, captured = '', request = ''] = LINE.exec(line) ?? [];
  if (status === undefined) return refuse('not a line of option httplog');
  const at = parseLogTime(`${time} +0000`);
  if (!at) return refuse(`its time is not like 06/Feb/2009:12:14:14.655: ${JSON.stringify(time.slice(0, 40))}`);
  const values = captured.split(/[{}|]/).map(decode);
  const host = values.find((value) => HOST.test(value) && isIP(value.replace(/:\d+$/, '')) === 0);
  const split = splitRequestLine(request);
  const { path, origin } = splitTarget(split?.target.replace(ENCODED, (run) => run.replaceAll('#', '%')) ?? '');
  return {
    at,
    status: Number(status),
    method: split?.method ?? '',
    path,
    // HAProxy writes a tilde after the name of a frontend with TLS.
    origin: origin ?? siteOf(frontend.endsWith('~') ? 'https' : 'http', host ?? null),
    referrer: values.find((value) => /^https?:\/\//i.test(value)) ?? null,
    userAgent: values.find((value) => USER_AGENT.test(value)) ?? null,
    ip: visitorAddress([client, ...values.filter((value) => readForwarded(value))]),
  };
}

function decode(text: string): string {
  return text.trim().replace(ENCODED, (run) => Buffer.from(run.replaceAll('#', ''), 'hex').toString());
}
