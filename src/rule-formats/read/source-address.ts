import { parsePageUrl, parseUrl } from '../../text/page-url.js';
import { withoutWww } from '../../text/same-url.js';

/** The address of a request, percent-encoded as browsers send it, with dot segments resolved. */
export interface SourceAddress {
  path: string;
  /** Without the question mark; '' if there is none. */
  query: string;
}

/**
 * All bytes of an address but these are encoded. `*`, `$`, `:`, `;` and quotes are not among them: redirect files give
 * them a meaning.
 */
const OTHER_THAN_PATH = /[^\w.~!&()+,=@/-]/g;
/** A slash inside a segment was sent encoded, and stays so: unencoded it would make another path. */
const OTHER_THAN_SEGMENT = /[^\w.~!&()+,=@-]/g;
const OTHER_THAN_QUERY = /[^\w.~!()+,=@/?&-]/g;
const OTHER_THAN_TARGET = /[^\w.~/?#@!&()+,=-]/g;

/** Reads the source of a rule as a browser requests it; undefined if the text is neither a path nor an http(s) url. */
export function parseSource(text: string): SourceAddress | undefined {
  const bare = text.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
  if (!bare.startsWith('/')) return undefined;
  const [address = ''] = bare.split('#', 1);
  const at = address.indexOf('?');
  const path = encodePath(at < 0 ? address : address.slice(0, at));
  // With a host in front, `//double` stays a path. The parser resolves `.` and `..`.
  const url = parseUrl(`http://host.invalid${path}`);
  if (!url) return undefined;
  return { path: url.pathname, query: at < 0 ? '' : encodeText(address.slice(at + 1), OTHER_THAN_QUERY) };
}

/** Returns the host of an address in the form of rules; undefined if the address has none. */
export function hostIn(address: string): string | undefined {
  const origin = /^https?:\/\/[^/?#]*/i.exec(address)?.[0];
  const host = origin === undefined ? undefined : parsePageUrl(origin)?.host;
  return host === undefined ? undefined : withoutDot(host);
}

/**
 * Makes a path of an address on a site's own host: a rule for a host costs a server an expression for each request. If
 * a site has several hosts, the address stays, because a path would not tell which. It also stays if its path begins
 * with two slashes, which would begin a host.
 */
export function withoutOwnHost(address: string, hosts: ReadonlySet<string>): string {
  const [host = ''] = hosts;
  if (hosts.size !== 1 || withoutWww(hostIn(address) ?? '') !== withoutWww(host)) return address;
  const path = address.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');
  return path.startsWith('//') ? address : path;
}

const MAX_HOST = 300;

/** Reads the name of a host that stands alone, in the form of rules; undefined if the text is not a host name. */
export function readHostName(text: string): string | undefined {
  const name = text.trim();
  if (name.length > MAX_HOST || /[/?#@\s]/.test(name)) return undefined;
  const host = hostIn(`https://${name}`);
  const isName = host !== undefined && /^(?:\[[\da-f:.]+\]|[a-z\d-]+(?:\.[a-z\d-]+)*)(?::[1-9]\d*)?$/.test(host);
  return isName ? host : undefined;
}

/** Leaves out the dot at the end: `example.com.` is the same host as `example.com`. */
export function withoutDot(host: string): string {
  return host.replace(/\.(?=:\d+$|$)/, '');
}

export function formatSource({ path, query }: SourceAddress): string {
  return query === '' ? path : `${path}?${query}`;
}

/** Encodes spaces, quotes, braces and other characters of a new address that servers read in their own way. */
export function encodeTarget(href: string): string {
  const origin = /^https?:\/\/[^/?#]*/i.exec(href)?.[0] ?? '';
  const rest = href.slice(origin.length);
  // A header cannot hold all letters of a host: `münchen.example` is `xn--mnchen-3ya.example` there.
  const host = /[^ -~]/.test(origin) ? (parseUrl(origin)?.origin ?? origin) : origin;
  return host + encodeText(rest, OTHER_THAN_TARGET);
}

/** Percent-encodes a path; valid escapes stay (`%2F`, too), unless they stand for a character that needs none. */
export function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeBytes(decodeBytes(segment), OTHER_THAN_SEGMENT))
    .join('/');
}

/**
 * Writes a decoded path as redirect files have it: characters with a meaning there are encoded, and bytes that are no
 * text.
 */
export function escapeDecoded(decoded: string | Buffer): string {
  const text = decoded.toString();
  if (typeof decoded !== 'string' && !Buffer.from(text).equals(decoded)) return encodeBytes(decoded, OTHER_THAN_PATH);
  return escapeColons(text.replace(/[%?#*$\\\p{Cc}]/gu, (character) => hex(Buffer.from(character))));
}

/** Encodes the colons of a path that would begin a placeholder. */
export function escapeColons(path: string): string {
  return path.replace(/(?<![\p{L}\p{N}]):/gu, '%3A');
}

/** Decodes a path to its bytes; `%2F` becomes a slash. */
export function decodeBytes(text: string): Buffer {
  const parts: Buffer[] = [];
  for (const [part] of text.matchAll(/(?:%[0-9a-f]{2})+|[^%]+|%/gi))
    parts.push(/^%[0-9a-f]/i.test(part) ? Buffer.from(part.replaceAll('%', ''), 'hex') : Buffer.from(part));
  return Buffer.concat(parts);
}

/** Decodes a path to text; undefined if it is not UTF-8, or holds control characters or an encoded slash. */
export function printablePath(path: string): string | undefined {
  if (/%2F/i.test(path)) return undefined;
  const bytes = decodeBytes(path);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !/[\p{Cc}\u2028\u2029\uFEFF]/u.test(text) ? text : undefined;
}

/** Encodes a text, in which valid escapes stay. */
function encodeText(text: string, encoded: RegExp): string {
  const parts = text.split(/(%[0-9a-f]{2})/i);
  return parts.map((part, at) => (at % 2 === 1 ? part : encodeBytes(Buffer.from(part), encoded))).join('');
}

function encodeBytes(bytes: Buffer, encoded: RegExp): string {
  return bytes.toString('latin1').replace(encoded, (byte) => hex(Buffer.from(byte, 'latin1')));
}

function hex(bytes: Buffer): string {
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
