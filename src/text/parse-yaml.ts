import { Composer, Lexer, LineCounter, Parser, type CST, type Document } from 'yaml';
import { MAX_LEVELS } from '../base/json.js';

/** Why a text is no YAML that is read here. */
export class YamlError extends Error {
  /** From 1 on. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

export interface Yaml {
  document: Document.Parsed;
  lineOf: (offset: number) => number;
  /** Where a second document begins, which is not read. */
  secondLine: number | undefined;
}

/**
 * Parses untrusted YAML. Its levels are counted before the part of the parser that calls itself for
 * each, and only the first error is worked out: to word one takes a look at the whole text.
 * @throws YamlError
 */
export function parseYaml(text: string): Yaml {
  const lines = new LineCounter();
  const lineOf = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_LEVELS)
      throw new YamlError(`it nests more than ${MAX_LEVELS} levels deep`, lineOf(parser.offset));
  }
  tokens.push(...parser.end());
  const composer = new Composer({ logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (!document) throw new YamlError('it is empty', 1);
  const [error] = document.errors;
  if (error) throw new YamlError(error.message, lineOf(error.pos[0]));
  return { document, lineOf, secondLine: second && lineOf(second.range[0]) };
}
