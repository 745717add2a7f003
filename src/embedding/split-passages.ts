import { BREAK, splitUnits } from './text-units.js';
import type { CountTokens, Unit } from './text-units.js';

export interface Passage {
  /** UTF-16 offsets into the content. */
  start: number;
  end: number;
  /** Roughly, and rather too many than too few: counted sentence by sentence. */
  tokens: number;
}

/**
 * Cuts a text into passages of at most `maximumTokens` (special tokens not counted) that together hold every
 * character but white space. A passage begins at a heading if it can, else at a paragraph, a sentence, a line, a
 * word; only what has no such place is cut inside. A sentence of up to `overlap` tokens before a cut inside a
 * paragraph is repeated after it. Takes time linear in the text; lazily, so that a caller may do other work between
 * two passages.
 */
export function* splitPassages(
  content: string,
  countTokens: CountTokens,
  maximumTokens: number,
  overlap: number,
): Generator<Passage> {
  let pack: Unit[] = [];
  let tokens = 0;
  // One passage behind, so that the last two can share what is left.
  let held: Unit[] | undefined;
  for (const unit of splitUnits(content, countTokens, maximumTokens)) {
    while (pack.length > 0 && tokens + unit.tokens > maximumTokens) {
      const cut = findBestCut(pack, unit, maximumTokens);
      if (held) yield joinUnits(held);
      held = pack.slice(0, cut);
      const rest = pack.slice(cut);
      const last = pack[cut - 1];
      const begins = (rest[0] ?? unit).before;
      const repeat =
        last?.whole === true &&
        last.tokens <= Math.min(overlap, maximumTokens / 4) &&
        (begins === BREAK.sentence || begins === BREAK.line) &&
        cut > 1 &&
        last.tokens + countAll(rest) + unit.tokens <= maximumTokens;
      pack = repeat ? [last, ...rest] : rest;
      tokens = countAll(pack);
    }
    pack.push(unit);
    tokens += unit.tokens;
  }
  for (const part of held ? balance(held, pack, maximumTokens) : [pack]) if (part.length > 0) yield joinUnits(part);
}

/**
 * The last two passages, with a short rest evened out: a passage of a few words is near to every query that holds
 * them (equal passages found .338 of queries first where a short rest found .299; see scripts/model/README.md).
 */
function balance(before: Unit[], last: Unit[], maximumTokens: number): Unit[][] {
  if (countAll(last) >= maximumTokens / 2) return [before, last];
  const begins = last[0]?.start ?? Infinity;
  const units = [...before.filter(({ start }) => start < begins), ...last];
  const whole = countAll(units);
  if (whole <= maximumTokens) return [units];
  let cut = 0;
  let min = Infinity;
  for (let sum = 0, at = 1; at < units.length; at += 1) {
    sum += units[at - 1]?.tokens ?? 0;
    const boundary = units[at]?.before ?? BREAK.glued;
    // A better boundary may lie a little off the middle.
    const cost = Math.abs(sum / whole - 1 / 2) - boundary / 20;
    if (boundary > BREAK.glued && cost < min) [cut, min] = [at, cost];
  }
  const halves = [units.slice(0, cut), units.slice(cut)];
  return halves.every((half) => countAll(half) <= maximumTokens) ? halves : [before, last];
}

/**
 * How many units of the pack go into the passage: up to the best boundary that leaves it at least half full, or a
 * third full before a heading. `next` is the unit that no longer fits.
 */
function findBestCut(pack: Unit[], next: Unit, maximumTokens: number): number {
  let best = pack.length;
  let bestBreak: number = next.before;
  let tokens = countAll(pack);
  for (let at = pack.length - 1; at > 0; at -= 1) {
    tokens -= pack[at]?.tokens ?? 0;
    const boundary = pack[at]?.before ?? BREAK.word;
    const fill = boundary === BREAK.heading ? maximumTokens / 3 : maximumTokens / 2;
    // A heading at the very end is better off with its text, however little stands before it.
    const stray = at === pack.length - 1 && next.before === BREAK.glued;
    if (boundary > bestBreak && (tokens >= fill || stray)) {
      best = at;
      bestBreak = boundary;
    }
  }
  return best;
}

function countAll(units: Unit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

function joinUnits(units: Unit[]): Passage {
  return { start: units[0]?.start ?? 0, end: units.at(-1)?.end ?? 0, tokens: countAll(units) };
}
