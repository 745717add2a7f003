import { NUMBER } from '../path-pattern.js';
import { escapeColons, escapeDecoded } from './source-address.js';

/** The groups of an expression, by number or name, with what they stand for in a target: `:number`, `:splat`. */
export type Groups = ReadonlyMap<string, string>;

/**
 * A regular expression of a web server matches one address, or all paths of a pattern, whose groups a target may name;
 * or it is not understood.
 */
export type Matched = { path: string } | { pattern: string; groups: Groups } | { refused: string };

/**
 * This matches one part of an expression, in a group or not: digits, one segment, or whatever is left. A lazy
 * quantifier matches the same.
 */
const UNIT =
  /^(\((?:\?:|\?P?<(\w+)>)?)?(?:(\\d\+|\[0-9\]\+|\[\\d\]\+)|(\[\^(?:\\?\/)(?:\\?[?#])*\][+*])|(?:\.|\[\^\\?\?\])[+*])(\??)(\))?/;
/** This matches an end that takes all paths below a path, and perhaps the path itself. */
const SLASH_AND_REST = /^\(\/\.\*\)\??\$?$/;
/** This matches an end that takes a query string, where the request is compared as it is sent. */
const QUERY_END = /^\((?:\?:)?\\\?(?:\.\*\)\??|\|\$\))\$?$/;
/**
 * Exports of pathmend write these signs, so that no part begins a host, or brings parameters with it. They are skipped.
 */
const SKIPPED = /\[\/?\\x5C\]\*(?=\()|(?<=\()\[\^\/?\\x5C[^\]]*\](?=[[(.])/g;
const ANY = /\(\?s:\.\)|\[\^(?:&=\+;)?\](?=[+*])/g;
const MAX_UNITS = 64;
const KNOWN = 'a part may be text, [0-9]+, [^/]+, or .* at the end';

/**
 * Reads what an expression of nginx, Apache or IIS matches (`^/old\.html$`, `^/?old/?$`, `^/old/(.*)$`):
 * `^/p-([0-9]+)\.html$` is the pattern `/p-:number.html`. Groups of digits are named `number`, `number2`, and groups of
 * a segment `p1`, `p2`, unless the expression names them. Without `$` an expression matches all longer paths, too.
 * @param isRaw whether it is compared with the request as it is sent, percent-encoded and with its query string; else
 * it is compared with the decoded path
 */
export function readExpression(expression: string, isRaw = false): Matched {
  const plain = expression.replace(SKIPPED, '').replace(ANY, '.').replaceAll('[^&=+;', '[^');
  const begun = /^\^(?:\/\?)?(.*)$/s.exec(plain)?.[1];
  if (begun === undefined) return { refused: 'it has no ^ at its beginning' };
  const groups = new Map<string, string>();
  const counts = { groups: 0, number: 0, text: 0 };
  let [pattern, left, mayEnd] = ['', begun.startsWith('/') ? begun : `/${begun}`, false];
  for (let count = 0; count < MAX_UNITS; count++) {
    const { literal, rest } = readBeginning(left);
    const text = isRaw ? escapeColons(literal.toString('latin1')).replaceAll('*', '%2A') : escapeDecoded(literal);
    pattern += behindName(pattern, text);
    if ((isRaw && QUERY_END.test(rest)) || rest === '$' || rest === '/?$' || (rest === '' && mayEnd && text === '')) {
      if (count > 0 || groups.size > 0) return { pattern, groups };
      return { path: rest === '/?$' ? `${pattern}/` : pattern };
    }
    if (SLASH_AND_REST.test(rest))
      return { pattern: `${pattern}/*`, groups: groups.set(String(++counts.groups), '/:splat') };
    const [all, open, name, digits, segment, lazy, close] = UNIT.exec(rest) ?? [];
    if (all === undefined || (open === undefined) !== (close === undefined) || /^[{*+?]/.test(rest.slice(all.length)))
      return { refused: rest === '' ? 'it has no $ at its end' : `${rest.slice(0, 40)} is not understood: ${KNOWN}` };
    const isRest = digits === undefined && segment === undefined;
    mayEnd = isRest && lazy === '';
    const ownName = name === undefined || /^(?:number|splat)/i.test(name) ? undefined : name;
    const part = isRest
      ? ':splat'
      : digits === undefined
        ? `:${ownName ?? `p${++counts.text}`}`
        : numberName(++counts.number);
    if (/[\p{L}\p{N}]$/u.test(pattern) && !isRest)
      return { refused: `${all} stands behind a letter or digit, where a pattern cannot have a name` };
    if (open !== undefined && open !== '(?:') groups.set(String(++counts.groups), part);
    if (name !== undefined) groups.set(name, part);
    // A wildcard has one name for all its numbers.
    pattern += isRest ? '*' : digits !== undefined && open === undefined ? NUMBER : part;
    left = rest.slice(all.length);
  }
  return { refused: `it has more than ${MAX_UNITS} parts` };
}

function numberName(count: number): string {
  return count === 1 ? NUMBER : `${NUMBER}${count}`;
}

/** Encodes a letter or digit directly behind a placeholder, whose name would otherwise include it. */
function behindName(pattern: string, text: string): string {
  const isBehind = /(?<![\p{L}\p{N}]):[a-z]\w*$/iu.test(pattern);
  return isBehind ? text.replace(/^\w/, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`) : text;
}

/** Returns the only text that an expression matches; undefined if it may match other texts. */
export function readLiteral(expression: string): string | undefined {
  const { literal, rest } = readBeginning(expression.replace(/^\^/, ''));
  return expression.startsWith('^') && rest === '$' ? literal.toString() : undefined;
}

/** Splits an expression into its literal beginning, as bytes, and what follows it. */
function readBeginning(expression: string): { literal: Buffer; rest: string } {
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
