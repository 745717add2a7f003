import { mapConcurrently } from '../../../eval/index-site.js';
import { mean, rankOf } from '../../../eval/measures.js';
import { plainPath, plainWords } from '../../../eval/path-words.js';
import { placeThreshold, SURENESS } from '../../../eval/peers/place-threshold.js';
import { CASE_KINDS } from '../../../eval/site-data.js';
import { generate, type Figures } from '../../harness.js';
import { ANSWERS, type BenchCase } from './data.js';
import type { Candidate, Weights } from './fusion.js';
import type { Contender } from './start-contender.js';

/** An answer: with a score, or else a candidate that has none before weights are chosen. */
export type Answer = { url: string; score?: number } & Partial<Omit<Candidate, 'id'>>;
/** A case and its answers. */
export interface Outcome {
  benchCase: BenchCase;
  answers: Answer[];
}
/** Paths and questions have their own. */
export type AllWeights = Partial<Record<BenchCase['field'], Weights>>;

const CONNECTIONS = 16;
const AT_ONCE = 4;
/** pathmend redirects above this score. */
const REDIRECTED = 0.9;

/** Every contender gives three answers, however unlike, so that all do the whole work. */
function bodyOf({ field, input }: BenchCase, weights: AllWeights): string {
  const options = { searchThreshold: 0 };
  return JSON.stringify({ [field]: input, limit: ANSWERS, options, weights: weights[field] });
}

const headersOf = (contender: Contender): Record<string, string> => ({
  ...contender.headers,
  'Content-Type': 'application/json',
});

export function askAll(contender: Contender, cases: readonly BenchCase[]): Promise<Outcome[]> {
  return mapConcurrently(cases, AT_ONCE, async (benchCase) => {
    const { input, field } = benchCase;
    const headers = headersOf(contender);
    const answer = await fetch(contender.urls[field], { method: 'POST', headers, body: bodyOf(benchCase, {}) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${contender.name} answered ${answer.status} to ${input}: ${text}`);
    return { benchCase, answers: (JSON.parse(text) as { suggestions: Answer[] }).suggestions };
  });
}

/** The share of cases of each kind with a right page among the first; of all cases of all sites alike. */
export function recallOf(outcomes: readonly Outcome[], first: number): Figures {
  const kinds = CASE_KINDS.filter((kind) => outcomes.some(({ benchCase }) => benchCase.kind === kind));
  return Object.fromEntries(
    kinds.map((kind) => {
      const hits = outcomes
        .filter(({ benchCase }) => benchCase.kind === kind)
        .map(({ benchCase, answers }) => Number(rankOf(benchCase.right, answers.slice(0, first)) > 0));
      return [`recall${first}_${kind}`, Math.round(1000 * mean(hits)) / 1000];
    }),
  );
}

/** The share of redirects that pathmend sends to the right page. */
export function shareRedirected(outcomes: readonly Outcome[]): number {
  const sent = outcomes.filter(({ benchCase }) => benchCase.kind === 'redirects');
  return mean(
    sent.map(({ benchCase, answers: [first] }) =>
      Number(isRight(benchCase, first) && (first?.score ?? 0) > REDIRECTED),
    ),
  );
}

/**
 * The share of taken-off pages whose path is redirected, where this share of the redirects reaches its page. A method's
 * user would try each way to be sure: the best of them for the method counts.
 */
export function wrongRedirects(outcomes: readonly Outcome[], share: number, isPathmend: boolean): Figures {
  const ways: Record<string, (answers: readonly Answer[], words: number) => number> = isPathmend
    ? { score: ([first]) => first?.score ?? 0 }
    : {
        ...Object.fromEntries(
          Object.entries(SURENESS).map(([way, sure]) => [
            way,
            (answers: readonly Answer[], words: number) =>
              sure(
                answers.map(({ url, score = 0 }) => ({ path: url, score })),
                words,
              ),
          ]),
        ),
        path: ([first]) => first?.path ?? 0,
      };
  const shares = Object.values(ways).flatMap((sure) => {
    const ofKind = (kind: string): { score: number; right: boolean }[] =>
      outcomes
        .filter(({ benchCase }) => benchCase.kind === kind)
        .map(({ benchCase, answers }) => ({
          score: sure(answers, plainWords(plainPath(benchCase.input)).length || 1),
          right: isRight(benchCase, answers[0]),
        }));
    const threshold = isPathmend ? REDIRECTED + Number.EPSILON : placeThreshold([ofKind('redirects')], share);
    // A figure that a method lacks is 0 throughout.
    if (threshold === undefined || threshold <= 0) return [];
    return [mean(ofKind('taken_off').map(({ score }) => Number(score >= threshold)))];
  });
  return shares.length === 0 ? {} : { taken_off_redirected: Math.round(1000 * Math.min(...shares)) / 1000 };
}

function isRight({ right }: BenchCase, first: Answer | undefined): boolean {
  return first !== undefined && right.includes(first.url);
}

/** Paths, then questions, each from sixteen connections for some seconds. */
export async function measureLoad(
  contender: Contender,
  cases: readonly BenchCase[],
  weights: AllWeights,
  seconds: number,
): Promise<Figures> {
  const figures: Figures = {};
  for (const field of ['path', 'query'] as const) {
    const bodies = cases.filter((each) => each.field === field).map((each) => bodyOf(each, weights));
    if (bodies.length === 0) continue;
    const headers = headersOf(contender);
    const load = await generate({ url: contender.urls[field], headers, bodies, connections: CONNECTIONS, seconds });
    Object.assign(figures, {
      [`${field}_per_second`]: load.perSecond,
      [`${field}_p50_ms`]: load.p50,
      [`${field}_p95_ms`]: load.p95,
      [`${field}_failed`]: load.failed,
    });
  }
  return figures;
}
