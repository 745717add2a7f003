import { readExpression } from './expressions.js';
import {
  skipConditional,
  skipPattern,
  toExpressionRule,
  toGone,
  toGoneExpression,
  toRule,
  type Matched,
  type Rule,
} from './read-rule.js';
import { escapeDecoded } from './source-address.js';
import { haproxyWords } from './split-words.js';

/** The rest of the path in HAProxy, without its first bytes. */
const REST = /%\[path,(?:bytes\(\d+\)|field\(\d+,\/,0\))\]$/;

/** `-i`, `-f` and others. */
const FLAG = /^-[ifmnuM]$/;

interface Condition {
  name: string;
  how: string;
  values: readonly string[];
  isRaw: boolean;
}

/** `http-request redirect code 301 location /new if { path /old }`: a rule for each of the paths. */
export function readHaproxy(line: string): (() => Rule)[] {
  const words = haproxyWords(line);
  const at = words.indexOf('location');
  const text = words.join(' ');
  const isGone = words[1] === 'return' && words[words.indexOf('status') + 1] === '410';
  if (!isGone && (at < 0 || !words.includes('redirect')))
    return [() => ({ kind: 'skipped', reason: 'notRedirect', text })];
  const target = (words[at + 1] ?? '').replace(/%%/g, '%');
  const isIf = words.indexOf('if');
  if (isIf < 0) return [() => (words.includes('unless') ? skipConditional(text) : skipPattern(text, ''))];
  const [path, query, ...others] = conditionsOf(words.slice(isIf + 1)) ?? [];
  const isOfQuery = query?.name === 'query' && query.how === 'str' && query.values.length === 1;
  if (path?.name !== 'path' || others.length > 0 || (query && !isOfQuery)) return [() => skipConditional(text)];
  return path.values.map((value) => (): Rule => {
    const below = query ? undefined : prefixOf(path, value);
    if (below) return isGone ? toGoneExpression(text, below) : toExpressionRule(text, below, target, REST);
    if (path.how !== 'str') return skipPattern(text, '');
    const plain = path.isRaw ? value : escapeDecoded(value);
    const address = query ? `${plain}?${query.values[0] ?? ''}` : plain;
    return isGone ? toGone(address) : toRule(address, target);
  });
}

/** Of a condition that all paths below one meet. */
function prefixOf({ how, isRaw }: Condition, value: string): Matched | undefined {
  if (how === 'beg' && value.endsWith('/')) return { prefix: isRaw ? value : escapeDecoded(value), joinsSlash: false };
  const matched = how === 'reg' ? readExpression(value, isRaw) : undefined;
  return matched && 'prefix' in matched ? matched : undefined;
}

/** Of `{ path,url_dec -m str /old } { query -m str id=7 }`; undefined where anything else stands. */
function conditionsOf(words: readonly string[]): Condition[] | undefined {
  const found: Condition[] = [];
  for (let at = 0; at < words.length; at++) {
    const close = words.indexOf('}', at);
    if (words[at] !== '{' || close < 0) return undefined;
    const [name = '', ...rest] = words.slice(at + 1, close);
    const how = rest[0] === '-m' ? rest[1] : name.endsWith('_beg') ? 'beg' : 'str';
    const given = rest[0] === '-m' ? rest.slice(2) : rest;
    const values = given[0] === '--' ? given.slice(1) : given;
    // Flags change what is compared.
    if (how === undefined || values.length === 0 || FLAG.test(given[0] ?? '')) return undefined;
    found.push({ name: name.replace(/,url_dec$|_beg$/, ''), how, values, isRaw: !name.endsWith(',url_dec') });
    at = close;
  }
  return found;
}
