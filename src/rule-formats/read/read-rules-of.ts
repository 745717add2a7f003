import { readLines } from '../../text/read-lines.js';
import { RedirectFile, type RedirectFormat } from './redirect-file.js';
import type { LocatedRule } from './read-rule.js';

/** The rules of a file, one after the other. */
export async function* readRulesOf(
  file: string,
  format: RedirectFormat | undefined,
  onLine: () => void,
): AsyncGenerator<LocatedRule> {
  const rules = new RedirectFile(file, format);
  for await (const text of readLines(file)) {
    onLine();
    yield* rules.push(text);
  }
  yield* rules.end();
}
