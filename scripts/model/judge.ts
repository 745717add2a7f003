import { readCertainty, type CertaintyFacts } from '#src/search/ranking/evidence/certainty-facts.js';
import { readLivePath, type LivePath } from '#src/search/ranking/evidence/page-path.js';
import type { Calibration, Weights } from '#src/search/ranking/scores/calibration.js';
import {
  MAX_CONTRADICTED_SCORE,
  MAX_DOUBTED_SCORE,
  scoreByChoice,
  scoreQuestion,
  sureness,
} from '#src/search/ranking/scores/score.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import type { ContentExample, SuggestExample } from './collect-evidence.js';
import { weighEvidence } from './fit.js';

/** A dead path, and how sure its best page is by a fit that left its site out. */
export interface Sure {
  site: string;
  kind: SuggestExample['kind'];
  /** Minus infinity: it has a bound, or there is none. */
  z: number;
  right: boolean;
}

/** The candidates of one search, best first. */
export function byValue<E extends object, Candidate extends { evidence: E; right: boolean }>(
  weights: Weights<E>,
  { candidates }: { candidates: readonly Candidate[] },
): (Candidate & { value: number })[] {
  return candidates
    .map((candidate) => ({ ...candidate, value: weighEvidence(weights, candidate.evidence) }))
    .sort((a, b) => b.value - a.value);
}

const factsOfExamples = new WeakMap<SuggestExample, (path: string) => CertaintyFacts>();

/** Compares the paths of a search and a candidate. The facts are kept, since a fit asks often. */
export function readFacts(example: SuggestExample, path: string): CertaintyFacts {
  let factsOf = factsOfExamples.get(example);
  if (!factsOf) {
    const known = new Set(example.known);
    const lives = new Map(example.candidates.map(({ path: live }) => [live, readLive(live)]));
    const compare = readCertainty(readDeadPath(example.input), [...lives.values()], (word) => known.has(word));
    const facts = new Map<string, CertaintyFacts>();
    factsOf = (of) => {
      const compared = facts.get(of) ?? compare(lives.get(of) as LivePath);
      facts.set(of, compared);
      return compared;
    };
    factsOfExamples.set(example, factsOf);
  }
  return factsOf(path);
}

function readLive(path: string): LivePath {
  const { words, slug } = sanitizePath(path);
  return readLivePath({ path, path_words: words.join(' '), slug_words: slug.join(' ') });
}

/** Score and rightness of the first answer, and whether a right one is among the first three. */
export interface Judgement {
  score: number;
  right: boolean;
  amongThree: boolean;
}

export function judgeSuggest(suggest: Calibration['suggest'], example: SuggestExample): Judgement {
  const sorted = byValue(suggest.rank, example);
  const [score = 0] = scoreByChoice(
    suggest.score,
    sorted.map(({ value }) => value),
    (at) => readFacts(example, sorted[at]?.path ?? ''),
  );
  const [best] = sorted;
  const max = example.looksLikeProbe ? MAX_DOUBTED_SCORE : best?.isContradicted === true ? MAX_CONTRADICTED_SCORE : 1;
  return judgement(sorted, Math.min(max, score));
}

/** Says how sure the best candidate is, before the score. */
export function judgeSureness({ rank, score }: Calibration['suggest'], example: SuggestExample): Sure {
  const sorted = byValue(rank, example);
  const [best] = sorted;
  const isOut = best === undefined || example.looksLikeProbe || best.isContradicted;
  const z =
    sureness(
      score,
      sorted.map(({ value }) => value),
      (at) => readFacts(example, sorted[at]?.path ?? ''),
    )[0] ?? -Infinity;
  return { site: example.site, kind: example.kind, z: isOut ? -Infinity : z, right: best?.right ?? false };
}

export function judgeQuery({ query }: Calibration, example: ContentExample): Judgement {
  const sorted = byValue(query.rank, example);
  const values = sorted.map(({ value }) => value);
  const page = sorted[0]?.evidence ?? { dense: 0, lexical: 0 };
  return judgement(sorted, scoreQuestion(query.score, values, page)[0] ?? 0);
}

function judgement(sorted: readonly { right: boolean }[], score: number): Judgement {
  return { score, right: sorted[0]?.right ?? false, amongThree: sorted.slice(0, 3).some(({ right }) => right) };
}
