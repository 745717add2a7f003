import { QUERY_GROUP } from './named-parts.js';
import { NUMBER, type Matched } from './read-rule.js';
import { escapeColons, escapeDecoded } from './source-address.js';

/** A group or none, of digits, of one segment, or of whatever is left. A lazy one matches the same. */
const UNIT =
  /^(\((?:\?:|\?P?<(\w+)>)?)?(?:(\\d\+|\[0-9\]\+|\[\\d\]\+)|(\[\^(?:\\?\/)(?:\\?[?#])*\][+*])|(?:\.|\[\^\\?\?(?: |\\s)?\])[+*])(\??)(\))?/;
/** A query string at the end, where the request is compared as it is sent. */
const QUERY_END = /^(\(\?:)?(\()?\\\?(?:\.\*\)\??|\|\$\))\$?$/;
const MAX_UNITS = 64;

/**
 * A regular expression that says what a pattern says: `/p-([0-9]+)\\.html$` is `/p-:number.html`. Groups of digits are
 * named `number`, `number2`, those of a segment `p1`, `p2`, unless the expression names them.
 * @param rooted without its `^`
 * @param isRaw it is compared with the request as it is sent
 */
export function readPattern(rooted: string, isRaw: boolean): Matched {
  const groups = new Map<string, string>();
  const counts = { groups: 0, number: 0, text: 0 };
  let [pattern, left, mayEnd] = ['', rooted, false];
  for (let count = 0; count < MAX_UNITS; count++) {
    const { literal, rest } = readBeginning(left);
    const text = isRaw ? escapeColons(literal.toString('latin1')).replaceAll('*', '%2A') : escapeDecoded(literal);
    pattern += behindName(pattern, text);
    const end = isRaw ? QUERY_END.exec(rest) : null;
    if (end?.[2] !== undefined && end[1] === undefined) groups.set(String(++counts.groups), QUERY_GROUP);
    if (end || rest === '$' || rest === '/?$' || (rest === '' && mayEnd && text === '')) return { pattern, groups };
    const [all, open, name, digits, segment, lazy, close] = UNIT.exec(rest) ?? [];
    if (all === undefined || (open === undefined) !== (close === undefined) || /^[{*+?]/.test(rest.slice(all.length)))
      return { refused: rest === '' ? 'it has no $ at its end' : `${rest.slice(0, 40)} is not understood: ${KNOWN}` };
    const isRest = digits === undefined && segment === undefined;
    mayEnd = isRest && lazy === '';
    const own = name === undefined || /^(?:number|splat)/i.test(name) ? undefined : name;
    const part = isRest
      ? ':splat'
      : digits === undefined
        ? `:${own ?? `p${++counts.text}`}`
        : numberName(++counts.number);
    if (/[\p{L}\p{N}]$/u.test(pattern) && !isRest)
      return { refused: `${all} stands behind a letter or digit, where a pattern cannot have a name` };
    if (open !== undefined && open !== '(?:') groups.set(String(++counts.groups), part);
    if (name !== undefined) groups.set(name, part);
    pattern += isRest ? '*' : part;
    left = rest.slice(all.length);
  }
  return { refused: `it has more than ${MAX_UNITS} parts` };
}

const KNOWN = 'a part may be text, [0-9]+, [^/]+, or .* at the end';

function numberName(count: number): string {
  return count === 1 ? NUMBER : `${NUMBER}${count}`;
}

/** A letter behind a name would belong to it. */
function behindName(pattern: string, text: string): string {
  const isBehind = /(?<![\p{L}\p{N}]):[a-z]\w*$/iu.test(pattern);
  return isBehind ? text.replace(/^\w/, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`) : text;
}

/** The literal beginning of an expression as bytes, and what follows it. */
export function readBeginning(expression: string): { literal: Buffer; rest: string } {
  const bytes: Buffer[] = [];
  // A quantifier makes the character before it optional or repeated.
  const unit =
    /(?:\\x\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\([^\w\s])|([^\\.*+?()[\]{}|^$]+))(?![*+?{])/iuy;
  let at = 0;
  for (let match = unit.exec(expression); match; match = unit.exec(expression)) {
    const [, point, byte, code, escaped, plain] = match;
    const codePoint = Number.parseInt(point ?? code ?? '0', 16);
    if (codePoint > 0x10ffff) break;
    at = unit.lastIndex;
    if (byte !== undefined) bytes.push(Buffer.from(byte, 'hex'));
    else bytes.push(Buffer.from(escaped ?? plain ?? String.fromCodePoint(codePoint)));
  }
  return { literal: Buffer.concat(bytes), rest: expression.slice(at) };
}
