import { BREAK, splitUnits, type CountTokens, type Unit } from './text-units.js';

export interface Chunk {
  /** UTF-16 offsets into the content. */
  start: number;
  end: number;
  /** Sum of the sentences' tokens, an upper estimate. */
  tokens: number;
}

/**
 * Splits a text into chunks of at most `maxTokens`, special tokens not counted. Together they hold every character but
 * white space. A chunk begins at the best boundary there is: heading, paragraph, sentence, line, word. A longer word is
 * cut inside. When a paragraph is split, its last sentence of up to `overlap` tokens is repeated in the next chunk.
 * Time is linear in the text. It is a generator, so that the caller can do other work between two chunks.
 */
export function* splitChunks(content: string, countTokens: CountTokens, maxTokens: number, overlap: number) {
  let pack: Unit[] = [];
  let tokens = 0;
  // This chunk is held back, so that the last two chunks can share the rest.
  let held: Unit[] | undefined;
  for (const unit of splitUnits(content, countTokens, maxTokens)) {
    while (pack.length > 0 && tokens + unit.tokens > maxTokens) {
      const cut = findBestCut(pack, unit, maxTokens);
      if (held) yield joinUnits(held);
      held = pack.slice(0, cut);
      const rest = pack.slice(cut);
      const last = pack[cut - 1];
      const begins = (rest[0] ?? unit).before;
      const repeat =
        last?.whole === true &&
        last.tokens <= Math.min(overlap, maxTokens / 4) &&
        (begins === BREAK.sentence || begins === BREAK.line) &&
        cut > 1 &&
        last.tokens + countAll(rest) + unit.tokens <= maxTokens;
      pack = repeat ? [last, ...rest] : rest;
      tokens = countAll(pack);
    }
    pack.push(unit);
    tokens += unit.tokens;
  }
  for (const part of held ? balance(held, pack, maxTokens) : [pack]) if (part.length > 0) yield joinUnits(part);
}

/**
 * Evens out the last two chunks when the last one is short: a chunk of a few words is near to every query that
 * holds them (equal chunks found .338 of queries first, a short rest .299; see scripts/model/README.md).
 */
function balance(before: Unit[], last: Unit[], maxTokens: number): Unit[][] {
  if (countAll(last) >= maxTokens / 2) return [before, last];
  const begins = last[0]?.start ?? Infinity;
  const units = [...before.filter(({ start }) => start < begins), ...last];
  const whole = countAll(units);
  if (whole <= maxTokens) return [units];
  let cut = 0;
  let min = Infinity;
  for (let sum = 0, at = 1; at < units.length; at += 1) {
    sum += units[at - 1]?.tokens ?? 0;
    const boundary = units[at]?.before ?? BREAK.glued;
    // A better boundary a little off the middle is preferred.
    const cost = Math.abs(sum / whole - 1 / 2) - boundary / 20;
    if (boundary > BREAK.glued && cost < min) [cut, min] = [at, cost];
  }
  const halves = [units.slice(0, cut), units.slice(cut)];
  return halves.every((half) => countAll(half) <= maxTokens) ? halves : [before, last];
}

/**
 * Finds the number of units of the pack that go into the chunk: up to the best boundary that leaves it at least half
 * full, or a third full before a heading. `next` is the unit that does not fit.
 */
function findBestCut(pack: Unit[], next: Unit, maxTokens: number): number {
  let best = pack.length;
  let bestBreak: number = next.before;
  let tokens = countAll(pack);
  for (let at = pack.length - 1; at > 0; at -= 1) {
    tokens -= pack[at]?.tokens ?? 0;
    const boundary = pack[at]?.before ?? BREAK.word;
    const fill = boundary === BREAK.heading ? maxTokens / 3 : maxTokens / 2;
    // A heading at the very end moves to the next chunk with its text, however short the rest is.
    const lastHeading = at === pack.length - 1 && next.before === BREAK.glued;
    if (boundary > bestBreak && (tokens >= fill || lastHeading)) {
      best = at;
      bestBreak = boundary;
    }
  }
  return best;
}

function countAll(units: Unit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

function joinUnits(units: Unit[]): Chunk {
  return { start: units[0]?.start ?? 0, end: units.at(-1)?.end ?? 0, tokens: countAll(units) };
}
