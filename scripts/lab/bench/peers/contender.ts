/**
 * The process of one contender: builds its engine, answers POST / behind a bare Express with a body like pathmend's,
 * and prints its address on stdout. Argument: a JSON object, {@link ContenderOptions}. Run with --expose-gc.
 */
import { text } from 'node:stream/consumers';
import { MiniSearchIndex } from '../../../eval/peers/minisearch.js';
import { searchText, type PeerInput } from '../../../eval/peers/peer.js';
import { startBareExpress } from '../../harness.js';
import { ANSWERS, pageBatches } from './data.js';
import { pathWords, type Engine, type EngineInput } from './engines/engine.js';
import { lancedb } from './engines/lancedb.js';
import { postgresByHand } from './engines/postgres.js';
import { sqlite } from './engines/sqlite.js';
import { comparePaths, fuse, rank, type Candidate, type Weights } from './fusion.js';
import { openModel } from './vectors.js';

export interface ContenderOptions extends EngineInput {
  name: 'minisearch' | keyof typeof ENGINES;
  model: string;
}

export interface ContenderReady {
  url: string;
  buildSeconds: number;
}

/** The body of a search. The answer has the best pages by the weights, or all candidates if there are none. */
interface Body {
  path?: string;
  query?: string;
  weights?: Weights;
}

type Search = (input: PeerInput, weights: Weights | undefined) => Promise<Partial<Candidate>[]>;

const ENGINES = { sqlite, lancedb, postgres_by_hand: postgresByHand } as const;

/** MiniSearch searches as in the comparison of quality, scripts/eval/peers/minisearch.ts. */
async function openMiniSearch({ pagesFile }: ContenderOptions): Promise<Search> {
  const index = new MiniSearchIndex();
  for await (const { from, pages } of pageBatches(pagesFile, 1_000)) index.add(pages, from);
  return (input) => Promise.resolve(index.search(input, ANSWERS));
}

/** Puts an engine's lists together in this process; embeds the text before. */
async function fuseLists(engine: Engine, words: readonly string[], modelName: string): Promise<Search> {
  const { embedder, model } = await openModel(modelName);
  const likeness = comparePaths(words);
  return async (input, weights) => {
    const searched = searchText(input);
    const vector = await embedder.embedQuery(model.fingerprint, searched);
    const known = vector.some((value) => value !== 0);
    const lists = await engine({ words: searched, isPath: input.isPath, vector: known ? vector : undefined });
    const candidates = fuse(lists, likeness(searched));
    return weights ? rank(candidates, weights, ANSWERS) : candidates;
  };
}

const options = JSON.parse(process.argv[2] ?? '{}') as ContenderOptions;
const startedAt = performance.now();
const built = options.name === 'minisearch' ? await openMiniSearch(options) : await ENGINES[options.name](options);
const buildSeconds = (performance.now() - startedAt) / 1000;

// An answer carries this much of a page; the content is the engine's business.
const answers: { url: string; title: string }[] = [];
const words: string[] = [];
for await (const { pages } of pageBatches(options.pagesFile, 1_000)) {
  answers.push(...pages.map(({ path, title }) => ({ url: path, title })));
  words.push(...pages.map(pathWords));
}
const search =
  options.name === 'minisearch' ? (built as Search) : await fuseLists(built as Engine, words, options.model);
// Garbage of the build would count as the engine's memory until V8 collects it.
(globalThis as { gc?: () => void }).gc?.();

const { url, server } = await startBareExpress(async (request, response) => {
  const { path, query, weights } = JSON.parse(await text(request)) as Body;
  const suggestions = await search({ text: path ?? query ?? '', isPath: path !== undefined }, weights);
  response.json({ suggestions: suggestions.map(({ id = 0, ...figures }) => ({ ...answers[id], ...figures })) });
});
// An engine that keeps its process busy for longer than these would find requests closed that waited for it.
Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
process.stdout.write(`${JSON.stringify({ url, buildSeconds } satisfies ContenderReady)}\n`);
