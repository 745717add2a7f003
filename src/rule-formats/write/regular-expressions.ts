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
