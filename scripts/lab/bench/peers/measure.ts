import { mapConcurrently } from '../../../eval/index-site.js';
import { rankOf, mean } from '../../../eval/measures.js';
import { CASE_KINDS, isQuestion } from '../../../eval/site-data.js';
import { generate, type Figures } from '../harness.js';
import type { BenchCase } from './data.js';
import { ANSWERS } from './engine.js';
import type { Contender } from './start-contender.js';

const CONNECTIONS = 16;
const AT_ONCE = 4;

/** What every contender is asked: three answers, however unlike, so that all do the whole work. */
function bodyOf({ kind, input }: BenchCase): string {
  return JSON.stringify({
    [isQuestion(kind) ? 'query' : 'path']: input,
    limit: ANSWERS,
    options: { searchThreshold: 0 },
  });
}

/**
 * The share of cases of each kind with a right page among the first three; of all cases of all sites alike. Whoever has
 * not answered all of them after so many seconds is asked no more: `recall3_cases` says how many it was.
 */
export async function measureRecall(
  contender: Contender,
  cases: readonly BenchCase[],
  patienceSeconds: number,
): Promise<Figures> {
  const until = performance.now() + patienceSeconds * 1_000;
  const asked = await mapConcurrently(cases, AT_ONCE, async (one) => {
    if (performance.now() > until) return [];
    const answer = await fetch(contender.urls[isQuestion(one.kind) ? 'query' : 'path'], {
      method: 'POST',
      headers: { ...contender.headers, 'Content-Type': 'application/json' },
      body: bodyOf(one),
    });
    if (answer.status !== 200)
      throw new Error(
        `${contender.name} answered ${answer.status} to ${one.input}: ${(await answer.text()).slice(0, 300)}`,
      );
    const { suggestions } = (await answer.json()) as { suggestions: { url: string }[] };
    return [{ kind: one.kind, right: rankOf(one.right, suggestions) > 0 }];
  });
  const found = asked.flat();
  const recall = Object.fromEntries(
    CASE_KINDS.map((kind) => [
      `recall3_${kind}`,
      Math.round(1000 * mean(found.filter((one) => one.kind === kind).map(({ right }) => Number(right)))) / 1000,
    ]),
  );
  return { ...recall, recall3_cases: found.length };
}

/** Paths, then questions, each from sixteen connections for some seconds. */
export async function measureLoad(
  contender: Contender,
  cases: readonly BenchCase[],
  seconds: number,
): Promise<Figures> {
  const figures: Figures = {};
  for (const name of ['path', 'query'] as const) {
    const bodies = cases.filter(({ kind }) => isQuestion(kind) === (name === 'query')).map(bodyOf);
    if (bodies.length === 0) continue;
    const headers = { ...contender.headers, 'Content-Type': 'application/json' };
    const load = await generate({ url: contender.urls[name], headers, bodies, connections: CONNECTIONS, seconds });
    Object.assign(figures, {
      [`${name}_per_second`]: load.perSecond,
      [`${name}_p50_ms`]: load.p50,
      [`${name}_p95_ms`]: load.p95,
      [`${name}_failed`]: load.failed,
    });
  }
  return figures;
}
