import { ApiError } from '../../errors.js';
import { isAddress, literalOf, NOTHING, toGone, toRule, type Rule } from './redirect-rule.js';

const GONE = /^(?:410!?|gone)$/i;
const APACHE_STATUS = /^(?:30[12378]|permanent|temp|seeother)$/i;

/**
 * The lines of web servers, one rule each: `/old /new [301]`, `/old 410`, Netlify's `_redirects`, nginx's `rewrite`,
 * `map` and `location = … { return 301 …; }`, Apache's `Redirect`, `RedirectMatch` and `RewriteRule`. `#` begins a
 * comment.
 */
export class ServerLines {
  /** The path of the nginx block around the line. */
  #location: string | undefined;

  /** @throws ApiError invalid_request if the line is none of these. */
  push(text: string): Rule {
    const words = splitWords(text);
    const block = /^\s*location\s+=\s+(\S+)\s*\{/.exec(text)?.[1];
    if (block !== undefined) this.#location = block;
    const rule = this.#location === undefined ? parseLine(words) : parseInLocation(words, this.#location);
    if (text.includes('}')) this.#location = undefined;
    if (!rule)
      throw new ApiError('invalid_request', {
        message: 'neither a JSON object, nor `/old /new [301]`, nor a rule of Netlify, nginx or Apache',
      });
    return rule;
  }
}

/** Words of a line: quoted ones whole, without the closing `;`, up to a comment. */
function splitWords(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  return (comment < 0 ? words : words.slice(0, comment))
    .map((word) => word.replace(/;$/, '').replace(/^(["'])(.*)\1$/s, '$2'))
    .filter((word) => word !== '');
}

function parseLine(words: readonly string[]): Rule | undefined {
  const [first = '', second, third, ...rest] = words;
  if (words.length === 0 || /^[{}]+$/.test(first)) return NOTHING;
  switch (first.toLowerCase()) {
    case 'rewrite':
      return parseNginxRewrite(second, third, rest);
    case 'redirect':
    case 'redirectpermanent':
    case 'redirecttemp':
      return parseApacheRedirect(words);
    case 'redirectmatch':
      if (GONE.test(second ?? '')) return parseGone(third);
      return parseExpression(words.slice(1).filter((word) => !APACHE_STATUS.test(word)));
    case 'rewriterule':
      if (flagsOf(rest).some((flag) => /^(?:G|gone|R=410)$/i.test(flag))) return parseGone(second);
      if (!/\bR\b/i.test(rest.join(' '))) return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
      return parseExpression([second ?? '', third ?? '']);
    // Blocks around rules, and other directives of a map or .htaccess.
    case 'map':
    case 'server':
    case 'location':
    case 'default':
    case 'hostnames':
    case 'volatile':
    case 'rewriteengine':
    case 'rewritebase':
    case 'options':
      return NOTHING;
    default:
  }
  if (/^<\/?\w/.test(first)) return NOTHING;
  if (first.startsWith('~'))
    return second === undefined ? undefined : parseExpression([first.replace(/^~\*?/, ''), second]);
  return parseMapLine(words);
}

/** `/old /new`, perhaps with Netlify's additions: `301`, `301!`, `200`, `Country=de`. */
function parseMapLine([from = '', to, ...rest]: readonly string[]): Rule | undefined {
  if (to === undefined || !isAddress(from)) return undefined;
  if (GONE.test(to)) return toGone(from);
  const text = [from, to, ...rest].join(' ');
  // Netlify matches parameters of the query string between the addresses: /old id=:id /new.
  if (from.startsWith('/') && /^\w+=/.test(to)) return { kind: 'skipped', reason: 'pattern', text };
  const status = rest.find((word) => /^\d{3}!?$/.test(word));
  if (rest.some((word) => /^\w+=/.test(word))) return { kind: 'skipped', reason: 'conditional', text };
  if (rest.some((word) => word !== status && !/^\[?[A-Z,=\d]+\]?$/i.test(word))) return undefined;
  if (status !== undefined && GONE.test(status)) return toGone(from);
  const rule = toRule(from, to);
  if (rule.kind === 'redirect' && status !== undefined && !status.startsWith('3'))
    return { kind: 'skipped', reason: 'notRedirect', text };
  return rule;
}

/** `rewrite ^/old$ /new permanent;`. Without such a flag or a full url, nginx rewrites the path internally. */
function parseNginxRewrite(from = '', to = '', flags: readonly string[]): Rule | undefined {
  const redirects = flags.some((flag) => flag === 'permanent' || flag === 'redirect') || /^https?:/i.test(to);
  if (to !== '' && !redirects) return { kind: 'skipped', reason: 'notRedirect', text: `rewrite ${from} ${to}` };
  return parseExpression([from, to]);
}

/** `Redirect [status] /old /new`. Apache also redirects what is below the old path; that is left out. */
function parseApacheRedirect(words: readonly string[]): Rule | undefined {
  const [, ...all] = words;
  if (GONE.test(all[0] ?? '')) return all[1] === undefined ? undefined : toGone(all[1]);
  if (/^[45]\d\d$/i.test(all[0] ?? '')) return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
  const [from, to] = all.filter((word) => !APACHE_STATUS.test(word));
  return from === undefined || to === undefined ? undefined : toRule(from, to);
}

/** `[R=301,L]` of a RewriteRule. */
function flagsOf(words: readonly string[]): string[] {
  return words
    .join('')
    .replace(/^\[|\]$/g, '')
    .split(',');
}

function parseGone(expression: string | undefined): Rule | undefined {
  if (expression === undefined) return undefined;
  const literal = literalOf(expression);
  return literal === undefined ? { kind: 'skipped', reason: 'pattern', text: expression } : toGone(literal);
}

function parseExpression([expression, to]: readonly string[]): Rule | undefined {
  if (expression === undefined || expression === '' || to === undefined || to === '') return undefined;
  const literal = literalOf(expression);
  const target = /^\/|^https?:/i.test(to) ? to : `/${to}`;
  if (literal === undefined) return { kind: 'skipped', reason: 'pattern', text: `${expression} ${to}` };
  return toRule(literal, target);
}

/** Inside `location = /old { … }`: `return 301 /new;` is the rule, on a line of its own or on the same one. */
function parseInLocation(words: readonly string[], location: string): Rule | undefined {
  const at = words.indexOf('return');
  if (at < 0) return NOTHING;
  const status = words[at + 1] ?? '';
  const to = words[at + 2];
  if (GONE.test(status)) return toGone(location);
  if (!/^3\d\d$/.test(status) || to === undefined)
    return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
  return toRule(
    location,
    to
      .replace(/^\$scheme:\/\//, 'https://')
      .replace('https://$host', '')
      .replace('https://$server_name', ''),
  );
}
