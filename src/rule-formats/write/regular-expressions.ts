import { decodeBytes, encodePath, encodeTarget } from '../read/source-address.js';
import { NUMBER } from '../read/read-rule.js';
import { splitTarget, type PathPattern, type Placeholder } from '../path-pattern.js';
import type { AnyRule, ExportRule, ExportSource } from './written-rule.js';

const DIGIT = '[0-9]';

/** A dialect is the way in which a server's regular expressions are written. */
export interface Dialect {
  /** Writes an expression that matches this text. */
  literal: (text: string) => string;
  /** The expression for any character of a path; by default any character but a question mark. */
  any?: string;
}

/**
 * Writes the expression for the path of a rule, without its end. Digits are spelled one by one: braces have a meaning
 * in Caddyfiles. A part that the new address begins with has no slash at its beginning, which would make a host of it,
 * and no backslash, which browsers read as a slash. A part in the query string of the new address brings no parameters
 * with it.
 */
export function expressionOf(rule: AnyRule, { literal, any = '[^?]' }: Dialect): string {
  const { path, rest, pattern } = rule;
  const first = firstPart(rule);
  if (!pattern) {
    const beginning = beginningOf(path, literal);
    return rest === 'kept' ? `${beginning}${first === undefined ? '' : '[/\\x5C]*'}(${any}*)` : beginning;
  }
  const inQuery = partsInQuery(rule);
  return patternPath(pattern, literal, ({ name, takes }) => {
    if (takes === 'number') return `(${DIGIT}+)`;
    const [all, slashes] = takes === 'text' ? ['[^/?]', '\\x5C'] : [any, '/\\x5C'];
    const kept = inQuery.includes(name) ? without(all, '&=+;') : all;
    return name === first ? `[${slashes}]*(${without(kept, slashes)}${kept}*)` : `(${kept}+)`;
  });
}

/** Takes these characters out of a class of characters, or out of any character. */
function without(any: string, characters: string): string {
  return any.startsWith('[^') ? `[^${characters}${any.slice(2)}` : `[^${characters}]`;
}

/**
 * Returns the name of the part that stands directly behind the first slash of a new address; undefined if there is
 * none.
 */
export function firstPart(rule: AnyRule): string | undefined {
  const to = 'to' in rule ? rule.to.replace(/^https?:\/\/[^/?#]*/i, '') : '';
  const [text, name] = splitTarget(rule.pattern || rule.rest !== 'kept' ? to : `${to}:splat`);
  return text === '/' ? name : undefined;
}

/** Returns the names of the parts of the path that stand in the query string of the new address. */
export function partsInQuery(rule: AnyRule): string[] {
  const query = 'to' in rule && rule.pattern ? rule.to.slice(rule.to.search(/\?|$/)) : '';
  return splitTarget(query).filter((_, at) => at % 2 === 1);
}

/** Writes the path of a pattern; `taken` gives what stands for a placeholder. */
export function patternPath(
  { segments, endsWithSlash }: PathPattern,
  literal: (text: string) => string,
  taken: (placeholder: Placeholder) => string,
): string {
  const parts = segments.map(({ before, placeholder, after }) => {
    const part = placeholder ? taken(placeholder) : '';
    return `/${literal(encodeSegment(before))}${part}${literal(encodeSegment(after))}`;
  });
  return parts.join('') + (endsWithSlash ? '/' : '');
}

/** Encodes a text inside a segment as browsers send it. */
export function encodeSegment(text: string): string {
  return encodePath(text).replaceAll('/', '%2F');
}

/** Returns the segments of a pattern up to its first placeholder, as a path that ends with a slash. */
export function patternBeginning({ segments }: PathPattern): string {
  const at = segments.findIndex(({ placeholder }) => placeholder !== undefined);
  const literal = segments.slice(0, at < 0 ? segments.length : at);
  return `/${literal.map(({ before }) => `${encodeSegment(before)}/`).join('')}`;
}

/** Tells whether a rule's expression holds the whole path, and not its beginning alone. */
export function isClosed({ rest, pattern }: ExportSource): boolean {
  return pattern !== undefined || rest === undefined;
}

/** Counts the parts of a path, each of which is a group in an expression of {@link expressionOf}. */
export function partsOf({ rest, pattern }: ExportSource): number {
  if (pattern) return pattern.segments.filter(({ placeholder }) => placeholder).length;
  return rest === 'kept' ? 1 : 0;
}

/** Writes the expression of a path, in which `:number` is any number. */
export function beginningOf(path: string, literal: (text: string) => string): string {
  return path
    .split('/')
    .map((segment) => (segment === NUMBER ? `${DIGIT}+` : literal(segment)))
    .join('/');
}

/**
 * Writes the new address. `part` gives the server's name for what a part of the expression matched; the text around is
 * escaped.
 */
export function targetOf(
  { to, rest, pattern }: ExportRule,
  part: (number: number, name?: string) => string,
  escape: (text: string) => string = (text) => text,
): string {
  if (!pattern) return escape(to) + (rest === 'kept' ? part(1) : '');
  const names = pattern.segments.flatMap(({ placeholder }) => placeholder?.name ?? []);
  const texts = splitTarget(to).map((text, at) => {
    const number = at % 2 === 1 ? names.indexOf(text) + 1 : 0;
    return number > 0 ? part(number, text) : escape(encodeTarget(at % 2 === 1 ? `:${text}` : text));
  });
  return texts.join('');
}

/** Adds the request's query string to a new address: `first` if the address has no query string, or else `next`. */
export function withQuery(target: string, first: string, next: string): string {
  const at = target.indexOf('#');
  const bare = at < 0 ? target : target.slice(0, at);
  return bare + (bare.includes('?') ? next : first) + target.slice(bare.length);
}

/** Lists the parameters that a query string must have. */
export function parametersOf(query: string): string[] {
  return query.split('&').filter((parameter) => parameter !== '');
}

/** Writes an expression for each parameter, which matches a query string with the parameter anywhere in it. */
export function queryExpressions(query: string, literal: (text: string) => string): string[] {
  return parametersOf(query).map((parameter) => `(^|&)${anyHexCase(literal(parameter))}(&|$)`);
}

/** Returns the seconds since 1970, as servers compare times. */
export function secondsOf(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}

/** Writes the expression of a host in the Host header, which may name its port. */
export function hostExpression(host: string, literal: (text: string) => string): string {
  return literal(host) + (hasPort(host) ? '' : '(:[0-9]+)?');
}

export function hasPort(host: string): boolean {
  return /:\d+$/.test(host);
}

/** Characters that no regular expression gives a meaning. */
const PLAIN = /^[A-Za-z0-9/_~]$/;

/** Writes a regular expression for bytes, without any character that a configuration file could read in its own way. */
export function bytesExpression(text: string | Buffer): string {
  return textExpression(Buffer.from(text).toString('latin1'), (byte) => `\\x${hexOf(byte)}`);
}

/** Writes a regular expression as {@link bytesExpression} does, for servers that compare text and not bytes. */
export function textExpression(text: string, escape: (codePoint: number) => string): string {
  let expression = '';
  for (const character of text) {
    if (character === '.') expression += '\\.';
    else expression += PLAIN.test(character) || character === '-' ? character : escape(character.codePointAt(0) ?? 0);
  }
  return expression;
}

/**
 * Lets an expression of an encoded path match both cases: `%c3` is what `%C3` is, and browsers and programs send both.
 */
export function anyHexCase(expression: string): string {
  return expression.replace(
    /(\\x25|\\x\{25\}|\\%)([0-9A-F]{2})/g,
    (_, percent: string, digits: string) =>
      percent + digits.replace(/[A-F]/g, (letter) => `[${letter}${letter.toLowerCase()}]`),
  );
}

/** Escapes a character for RE2, the regular expressions of Go. */
export function re2Escape(codePoint: number): string {
  return `\\x{${codePoint.toString(16).toUpperCase()}}`;
}

/** Returns a path as those servers see it that make one slash of several. */
export function mergedPath(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

export function holdsNul(path: string): boolean {
  return decodeBytes(path).includes(0);
}

export function hexOf(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
