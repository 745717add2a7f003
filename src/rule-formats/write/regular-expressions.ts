import { decodeBytes } from '../read/source-address.js';
import { NUMBER } from '../read/read-rule.js';
import type { ExportRule } from './written-rule.js';

const DIGIT = '[0-9]';

/** How a server's regular expressions are written. */
export interface Dialect {
  /** A text as an expression. */
  literal: (text: string) => string;
  /** Any character of a path; else all but a question mark. */
  any?: string;
}

/**
 * The expression for a rule that holds for more than one path, without its end. Digits are spelled one by one: braces
 * have a meaning in Caddyfiles.
 */
export function expressionOf({ path, rest, rewriting }: Omit<ExportRule, 'to' | 'query'>, dialect: Dialect): string {
  const { literal, any = '[^?]' } = dialect;
  const beginning = beginningOf(path, literal);
  if (!rewriting) return rest === 'kept' ? `${beginning}(${any}*)` : beginning;
  const pieces = rewriting.old.map((piece) => {
    if ('text' in piece) return literal(piece.text);
    return 'digits' in piece ? `(${DIGIT.repeat(piece.digits)})` : `(${any}+)`;
  });
  return beginning + pieces.join('');
}

/** A path's expression, in which `:number` is any number. */
export function beginningOf(path: string, literal: (text: string) => string): string {
  return path
    .split('/')
    .map((segment) => (segment === NUMBER ? `${DIGIT}+` : literal(segment)))
    .join('/');
}

/** The new address, where `part` names what a part of the expression matched. */
export function targetOf({ to, rest, rewriting }: ExportRule, part: (number: number) => string): string {
  if (rewriting) return to + rewriting.to.map((one) => (typeof one === 'number' ? part(one) : one)).join('');
  return rest === 'kept' ? to + part(1) : to;
}

const COMPARED: Dialect = { literal: (text) => text.replace(/[^\w/-]/g, '\\$&'), any: '[^]' };

/** What rules of more than one path answer, as servers do. */
export function createAnswer(rule: ExportRule): (path: string) => string | undefined {
  const expression = new RegExp(`^${expressionOf(rule, COMPARED)}${rule.rewriting ? '$' : ''}`);
  return (path) => {
    const match = expression.exec(path);
    return match ? targetOf(rule, (number) => match[number] ?? '') : undefined;
  };
}

/** Characters that no regular expression gives a meaning. */
const PLAIN = /^[A-Za-z0-9/_~]$/;

/** A regular expression for bytes, without any character that a configuration file could read in its own way. */
export function bytesExpression(text: string | Buffer): string {
  let expression = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    if (character === '.') expression += '\\.';
    else if (character === '-') expression += '-';
    else expression += byte < 0x80 && PLAIN.test(character) ? character : `\\x${hexOf(byte)}`;
  }
  return expression;
}

/** The same of characters, for servers that compare text and not bytes. */
export function textExpression(text: string, escape: (codePoint: number) => string): string {
  let expression = '';
  for (const character of text) {
    if (character === '.') expression += '\\.';
    else expression += PLAIN.test(character) || character === '-' ? character : escape(character.codePointAt(0) ?? 0);
  }
  return expression;
}

/** An expression of an encoded path: `%c3` is what `%C3` is, and browsers and programs send both. */
export function anyHexCase(expression: string): string {
  return expression.replace(
    /(\\x25|\\x\{25\}|\\%)([0-9A-F]{2})/g,
    (_, percent: string, digits: string) =>
      percent + digits.replace(/[A-F]/g, (letter) => `[${letter}${letter.toLowerCase()}]`),
  );
}

/** For RE2, of Go. */
export function re2Escape(codePoint: number): string {
  return `\\x{${codePoint.toString(16).toUpperCase()}}`;
}

/** The decoded path as servers see it that make one of several slashes. */
export function mergedPath(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

export function holdsNul(path: string): boolean {
  return decodeBytes(path).includes(0);
}

function hexOf(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

/** A word of HAProxy: every byte but the plainest as `\x20`. */
export function haproxyWord(text: string | Buffer): string {
  let word = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    word += byte < 0x80 && /^[\w./:~=&?-]$/.test(character) ? character : `\\x${hexOf(byte)}`;
  }
  return word;
}

export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
