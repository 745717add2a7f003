import type { SearchKind } from '../base/glossary.js';
import { findAnsweringProjects } from '../pages/store/models.js';
import { NO_MODEL } from './search-index.js';
import { searchUnlogged, type AnswerNowDeps } from './search-unlogged.js';
import { CLICKED_WEIGHT } from './candidates/rank-for-query.js';
import { findByContent } from './store/by-content.js';
import { ALL_PAGES } from './store/space.js';

/** No project has this id: a search finds nothing and costs one look into each index. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
/** So many models are loaded before their first use (src/embedding/model-registry.ts). */
const MAX_MODELS = 4;
/** V8 compiles meanwhile: after one round the first search took twice as long as the next, after three not. */
const ROUNDS = 3;
const INPUTS: readonly (readonly [SearchKind, string])[] = [
  ['suggest', '/warming/up-the-seerch'],
  ['semantic-search', 'How is a search warmed up?'],
];

/** Checks for readiness that searches are answered; once, whole ones are run: the first took three times as long. */
export function createSearchCheck(deps: AnswerNowDeps): () => Promise<boolean> {
  let warm: Promise<unknown> | undefined;
  return async () => {
    await trySearch(deps);
    // A fault of a single project makes no instance unready.
    warm ??= warmUp(deps).catch(() => undefined);
    await warm;
    return true;
  };
}

/** Searches with each model that projects answer with, in the project used last: neither logged nor counted. */
async function warmUp(deps: AnswerNowDeps): Promise<void> {
  const projects = await findAnsweringProjects(deps.db, MAX_MODELS);
  if (projects.length === 0) projects.push(NO_PROJECT);
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(
      projects.flatMap((project) =>
        INPUTS.map(([kind, input]) => searchUnlogged(deps, project, { kind, input, limit: 1 })),
      ),
    );
}

async function trySearch({ tenants }: AnswerNowDeps): Promise<void> {
  const space = { ...tenants.of(NO_PROJECT), modelId: NO_MODEL, indexVersion: 0, ...ALL_PAGES };
  const vector = new Float32Array(1).fill(1);
  const question = {
    vector,
    terms: new Map([[1, 1]]),
    weights: { dense: 1, beginning: 1, denseTitle: 0, denseMax: 0, lexical: 1 },
    lookups: [],
    clickedWeight: CLICKED_WEIGHT,
  };
  await findByContent(space, question, 1);
}
