import type { ClientBase } from 'pg';
import { quantile } from '../../../service/many-pages.js';
import { tell, type Figures } from '../../harness.js';

/** A statement that answers a vector, $1, with pages and how far they are. */
export interface Contender {
  statement: string;
  settings?: Readonly<Record<string, string>>;
  /** These are known of it besides, such as the size of its index. */
  figures?: Figures;
}

export type Nearest = readonly { page: number; far: number }[];

interface Seen {
  spent: number;
  times: number[];
  recalls: number[];
  goodRecalls: number[];
}

/** Each contender reads an index or a table as it is told, whatever the planner expects of it. */
const SETTINGS = { enable_seqscan: 'off', enable_sort: 'off', 'hnsw.iterative_scan': 'off', 'hnsw.ef_search': '40' };

/** Pages count as found that are so little farther than the tenth: only ties, or pages as good as it to a visitor. */
const TIED = 1e-6;
const AS_GOOD = 0.001;

async function ask(
  client: ClientBase,
  { statement, settings }: Contender,
  vector: string,
): Promise<{ ms: number; nearest: Nearest }> {
  const all = Object.entries({ ...SETTINGS, ...settings });
  await client.query(
    `select ${all.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`).join()}`,
    all.flat(),
  );
  const from = performance.now();
  const { rows } = await client.query<{ page: number; far: number }>(statement, [vector]);
  return { ms: performance.now() - from, nearest: rows };
}

function recallOf(truth: Nearest, nearest: Nearest, tolerance: number): number {
  const least = (truth.at(-1)?.far ?? 0) + tolerance;
  return Math.min(truth.length, nearest.filter(({ far }) => far <= least).length) / truth.length;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function summarize({ times, recalls, goodRecalls }: Omit<Seen, 'spent'>, more: Figures = {}): Figures {
  const recall = { recall: meanOf(recalls), recall_as_good: meanOf(goodRecalls) };
  return { ...recall, p50_ms: quantile(times, 0.5), p95_ms: quantile(times, 0.95), questions: times.length, ...more };
}

/** Scans for each vector: the answers are the truth for the others. A few are asked once before. */
export async function askAll(
  client: ClientBase,
  scan: Contender,
  vectors: readonly string[],
): Promise<{ truth: Nearest[]; figures: Figures }> {
  for (const vector of vectors.slice(0, 5)) await ask(client, scan, vector);
  const answers: { ms: number; nearest: Nearest }[] = [];
  for (const vector of vectors) answers.push(await ask(client, scan, vector));
  const times = answers.map(({ ms }) => ms);
  return {
    truth: answers.map(({ nearest }) => nearest),
    figures: summarize({ times, recalls: [1], goodRecalls: [1] }, scan.figures),
  };
}

/**
 * Asks all contenders for each vector in turn, and gives the share of the truth that each finds. All vectors are asked
 * once before, so that memory holds what they read. A contender that took its seconds is asked no more.
 */
export async function compareInTurns(
  client: ClientBase,
  contenders: Readonly<Record<string, Contender>>,
  input: { vectors: readonly string[]; truth: readonly Nearest[]; seconds: number },
): Promise<Record<string, Figures>> {
  const results: Record<string, Figures> = {};
  for (const seconds of [input.seconds / 4, input.seconds]) {
    const seen = new Map<string, Seen>();
    for (const name of Object.keys(contenders)) seen.set(name, { spent: 0, times: [], recalls: [], goodRecalls: [] });
    for (const [i, vector] of input.vectors.entries()) {
      for (const [name, contender] of Object.entries(contenders)) {
        const figures = seen.get(name);
        if (figures === undefined || figures.spent > seconds * 1000) continue;
        const { ms, nearest } = await ask(client, contender, vector);
        figures.spent += ms;
        figures.times.push(ms);
        figures.recalls.push(recallOf(input.truth[i] ?? [], nearest, TIED));
        figures.goodRecalls.push(recallOf(input.truth[i] ?? [], nearest, AS_GOOD));
      }
    }
    for (const [name, figures] of seen) results[name] = summarize(figures, contenders[name]?.figures);
  }
  for (const [name, figures] of Object.entries(results)) tell(`${name}: ${JSON.stringify(figures)}`);
  return results;
}
