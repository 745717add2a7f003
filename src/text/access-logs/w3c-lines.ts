import { visitorAddress } from '../ip-address.js';
import { decodePercent } from '../paths/path-segments.js';
import { parseIsoTime } from '../parse-time.js';
import { nullIfEmpty, refuse, siteAtPort, siteOf, splitTarget, type ReadLine } from './logged-request.js';

const NEEDED = ['date', 'time', 'cs-method', 'cs-uri-stem', 'sc-status'];

/** Columns that are named after a header, as in `cs(X-Forwarded-For)`. */
const FORWARDED = /\b(?:(?:x-)?forwarded(?:-for)?|x-real-ip)\)?$/;

export function isFieldsLine(line: string): boolean {
  return /^#Fields:\s/i.test(line);
}

/**
 * Reads a log in the W3C's extended format, whose columns the last `#Fields:` line names: that of IIS, with spaces
 * between fields and `+` for a space within one; or that of CloudFront, with tabs, and `%20` for a space. Times are
 * UTC.
 */
export function createW3cParser(isCloudFront: boolean): (line: string) => ReadLine {
  let places = new Map<string, number>();
  let forwarded: string[] = [];
  return (line) => {
    if (line.startsWith('#')) {
      if (isFieldsLine(line)) {
        const names = line.toLowerCase().trim().split(/\s+/).slice(1);
        places = new Map(names.map((name, place) => [name, place]));
        forwarded = names.filter((name) => FORWARDED.test(name));
      }
      return undefined;
    }
    if (places.size === 0) return refuse('no #Fields line is before it');
    const missing = NEEDED.find((name) => !places.has(name));
    if (missing !== undefined) return refuse(`the #Fields line before it does not name ${missing}`);
    const values = line.split(isCloudFront ? '\t' : ' ');
    if (values.length !== places.size)
      return refuse(`it has ${values.length} fields, where #Fields names ${places.size}`);
    const field = (name: string): string | null => nullIfEmpty(values[places.get(name) ?? -1]);
    const at = parseIsoTime(`${field('date') ?? ''}T${field('time') ?? ''}Z`);
    if (!at) return refuse('its date and time cannot be read');
    const { path, origin } = splitTarget(field('cs-uri-stem') ?? '');
    const query = field('cs-uri-query');
    const userAgent = field('cs(user-agent)');
    const site = isCloudFront
      ? siteOf(field('cs-protocol'), field('x-host-header') ?? field('cs(host)'))
      : siteAtPort(field('s-port'), field('cs-host'));
    return {
      at,
      status: Number(field('sc-status')),
      method: field('cs-method') ?? '',
      path: query === null || path === '' ? path : `${path}?${query}`,
      origin: origin ?? site,
      referrer: field('cs(referer)'),
      // In older logs of CloudFront, user agents are encoded twice.
      userAgent: userAgent && (isCloudFront ? decodePercent(userAgent, 2) : userAgent.replaceAll('+', ' ')),
      ip: visitorAddress([field('c-ip'), ...forwarded.map((name) => field(name)?.replace(/\+|%20/g, ' '))]),
    };
  };
}
