import { ApiError, invalid } from '../../errors.js';
import { ApacheLines } from './apache-lines.js';
import { readExpression } from './expression.js';
import { NginxBlocks, readRewrite } from './nginx-blocks.js';
import { ProxyLines } from './proxy-lines.js';
import { isAddress, NOTHING, toExpressionRule, toGone, toRule, type Rule } from './redirect-rule.js';
import { nginxWords, splitWords } from './words.js';

const GONE = /^(?:410!?|gone)$/i;
/** What people write beside a status, or in its place. */
const FLAGS = /^(?:permanent|temporary|temp|redirect|\[[A-Z,=\d]+\])$/i;
/** Of a map, .htaccess or Caddyfile around the rules. */
const OTHER_DIRECTIVES = new Set([
  'map',
  'default',
  'hostnames',
  'volatile',
  'options',
  'frontend',
  'backend',
  'route',
]);

/**
 * The lines of web servers, one rule each: `/old /new [301]`, `/old 410`, `_redirects` of Netlify and Cloudflare, and
 * the rules of nginx, Apache, Caddy and HAProxy. `#` begins a comment.
 */
export class ServerLines {
  readonly #readers = [new NginxBlocks(), new ApacheLines(), new ProxyLines()];

  /** @throws ApiError invalid_request if the line is none of these. */
  push(text: string): Rule {
    // A block that is open goes on; `redirect` alone is Apache's.
    const reader = this.#readers.findLast((one) => one.reads(text));
    if (reader) return reader.push(text);
    const rule = readLine(text);
    if (!rule)
      throw new ApiError('invalid_request', {
        message: 'neither a JSON object, nor `/old /new [301]`, nor a rule of Netlify, nginx, Apache, Caddy or HAProxy',
      });
    return rule;
  }
}

function readLine(text: string): Rule | undefined {
  const words = splitWords(text);
  const [first = '', second] = words;
  if (words.length === 0 || /^[{}]+$/.test(first) || /^<\/?\w/.test(first)) return NOTHING;
  if (OTHER_DIRECTIVES.has(first.toLowerCase())) return NOTHING;
  if (first.toLowerCase() === 'rewrite')
    return readRewrite(
      nginxWords(text)
        .slice(1)
        .filter((word) => word !== ';'),
    );
  if (first.startsWith('~'))
    return second === undefined
      ? undefined
      : toExpressionRule(first, readExpression(first.replace(/^~\*?/, '')), second);
  return readMapLine(words);
}

/** `/old /new`, perhaps with Netlify's additions: `301`, `301!`, `200`, `Country=de`. */
function readMapLine([from = '', to, ...rest]: readonly string[]): Rule | undefined {
  if (to === undefined || !isAddress(from)) return undefined;
  if (GONE.test(to)) return toGone(from);
  const text = [from, to, ...rest].join(' ');
  // Netlify compares parameters of the query string between the addresses: /old id=7 /new.
  if (from.startsWith('/') && /^\w+=/.test(to)) {
    const at = rest.findIndex(isAddress);
    const parameters = [to, ...rest.slice(0, Math.max(0, at))];
    if (at < 0 || parameters.some((one) => !/^[\w.-]+=[^:]*$/.test(one)))
      return { kind: 'skipped', reason: 'pattern', text };
    return readMapLine([`${from}?${parameters.join('&')}`, rest[at] ?? '', ...rest.slice(at + 1)]);
  }
  const status = rest.find((word) => /^\d{3}!?$/.test(word));
  if (rest.some((word) => /^\w+=/.test(word))) return { kind: 'skipped', reason: 'conditional', text };
  const unknown = rest.filter((word) => word !== status && !FLAGS.test(word));
  if (unknown.length > 0)
    throw invalid(
      undefined,
      `${JSON.stringify(unknown.join(' '))} says nothing behind the new address: a line is \`/old /new\`, perhaps with a status such as 301; a space in an address is %20`,
    );
  if (status !== undefined && GONE.test(status)) return toGone(from);
  const rule = toRule(from, to);
  if (rule.kind !== 'skipped' && status !== undefined && !status.startsWith('3'))
    return { kind: 'skipped', reason: 'notRedirect', text };
  return rule;
}
