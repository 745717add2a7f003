import type { SourceItem } from '../source.js';

/** Blink nests elements 512 deep and no deeper: no page that people see needs more. The parser's work grows with it. */
const MAX_LEVELS = 512;

/** A page that no reader should try: the message says why. */
export class UnreadableHtml extends Error {}

/** @throws UnreadableHtml when so many elements are open that no more may be opened in them */
export function checkLevels(open: number): void {
  if (open >= MAX_LEVELS) throw new UnreadableHtml(`its elements are nested more than ${MAX_LEVELS} levels deep`);
}

/** The items of a page; where its HTML is none that is read, the reason. */
export function* orRefused(where: string, items: Iterable<SourceItem>): Generator<SourceItem> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof UnreadableHtml)) throw error;
    yield { kind: 'refused', where, reason: error.message };
  }
}
