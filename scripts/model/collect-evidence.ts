import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findContentCandidates } from '#src/search/candidates/rank-for-query.js';
import { findPathCandidates } from '#src/search/candidates/path-candidates.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { understandPath } from '#src/search/candidates/site-words.js';
import { UNCALIBRATED, type QuestionEvidence, type SuggestEvidence } from '#src/search/ranking/scores/calibration.js';
import type { Service } from '#src/app/service.js';
import { indexSite, mapConcurrently } from '../eval/index-site.js';
import { halve, importCases } from '../eval/known-half.js';
import { takeOff, type TakenOff } from '../eval/taken-off.js';
import { PROBES } from '../eval/probes.js';
import { readDeepQuestions, readMeant, readSite, spread, type Case } from '../eval/site-data.js';
import { modelOf, wholeProject } from '../whole-project.js';
import { weighEvidence } from './fit.js';

/** One search of a site with all its candidates, and which of them are right. */
export interface SuggestExample {
  site: string;
  /**
   * `known`: a redirect, where the project knows the other half of the site's redirects. `foreign`: what pages of other
   * sites answer, asked here, where none is right.
   */
  kind: 'redirect' | 'known' | 'typo' | 'probe' | 'meant' | 'foreign' | keyof TakenOff<unknown>;
  input: string;
  /** The words of it that the site writes so, or that are common. */
  known: string[];
  /** Whether its form alone gives it away as no visitor's, which keeps its score low. */
  looksLikeProbe: boolean;
  candidates: SuggestCandidate[];
}

export interface SuggestCandidate {
  evidence: SuggestEvidence;
  right: boolean;
  path: string;
  /** See `contradicts` in src/text/paths/identities.ts: the score has a bound. */
  isContradicted: boolean;
}

/** One search by content with its best candidates. */
export interface ContentExample {
  site: string;
  /** `deep`: about what stands deep in a long page. `gone`: a question whose right page was taken off. */
  kind: 'query' | 'path' | 'meant' | 'deep' | 'foreign' | 'gone';
  candidates: { evidence: QuestionEvidence; right: boolean }[];
}

/** The best by the weights of a model without a calibration, and the right ones. */
function keepBest(candidates: SuggestExample['candidates']): SuggestExample['candidates'] {
  return candidates
    .map((candidate) => ({ candidate, value: weighEvidence(UNCALIBRATED.suggest.rank, candidate.evidence) }))
    .sort((a, b) => b.value - a.value)
    .flatMap(({ candidate }, at) => (at < BEST || candidate.right ? [candidate] : []));
}

/** Equal parts of both kinds: only to choose which candidates are worth keeping. */
const value = ({ dense, lexical }: QuestionEvidence): number => dense + lexical;

/** More than a search weighs, so that a fit may raise what the present weights pass over. */
const CANDIDATES = 50;

/** Candidates of one case that are written down. */
const BEST = 60;

export interface Evidence {
  suggest: SuggestExample[];
  content: ContentExample[];
}

/**
 * Indexes sites through the real pipeline, with each page's title on top of its content, as importers push it, and
 * writes down what speaks for the candidates of each case: of at most `most` cases of a kind and site, evenly spread.
 * `cases`: the folder of cases in visitors' own words, a file a site. `contentOnly`: of searches by content alone, in a
 * quarter of the time.
 */
export async function collectEvidence(
  service: Service,
  folders: readonly string[],
  most: number,
  contentOnly: boolean,
  cases: string | undefined,
): Promise<Evidence> {
  const evidence: Evidence = { suggest: [], content: [] };
  for (const folder of folders) {
    // Never those of the site's own folder: they are for checking.
    const site = await readSite(folder, join(cases ?? '', `${basename(folder)}.jsonl`));
    const foreign = await readForeign(cases, site.name);
    const indexed = await indexSite(service, site, true);
    const { projectId } = indexed;
    const deps = service.deps;
    const { modelId } = await modelOf(service, projectId);
    const space = wholeProject(deps.tenants.of(projectId), modelId);
    const pathOf = new Map((await pagePaths(service, projectId)).map((row) => [row.page_id, row.path]));
    const isRight = (testCase: Case, pageId: string): boolean => testCase.right.includes(pathOf.get(pageId) ?? '');

    const suggest = (cases: readonly Case[], kind: SuggestExample['kind']): Promise<SuggestExample[]> =>
      mapConcurrently(cases, 3, async (testCase) => {
        const path = readDeadPath(testCase.input);
        const search = await findPathCandidates(deps, space, UNCALIBRATED.suggest.rank, path, CANDIDATES);
        const { counts } = search.understood;
        return {
          site: site.name,
          kind,
          input: testCase.input,
          known: path.words.filter((word) => (counts.get(word) ?? 0) > 0 || deps.vocabulary.isCommon(word)),
          looksLikeProbe: path.isProbe,
          candidates: keepBest(
            search.candidates.map(({ evidence, row, live, comparison }) => ({
              evidence,
              right: testCase.right.includes(row.path),
              path: row.path,
              isContradicted: comparison.readContradiction(live, row) !== undefined,
            })),
          ),
        };
      });
    const probes = PROBES.map((input) => ({ input, right: [], kind: 'probe' }));
    if (!contentOnly)
      evidence.suggest.push(
        ...(await suggest(spread(site.redirects, most), 'redirect')),
        ...(await suggest(spread(site.typos, most), 'typo')),
        ...(await suggest(site.meant_paths, 'meant')),
        ...(await suggest(foreign.paths, 'foreign')),
        ...(await suggest(probes, 'probe')),
      );

    const content = async (cases: readonly Case[], kind: ContentExample['kind']): Promise<void> => {
      const examples = await mapConcurrently(cases, 3, async (testCase): Promise<ContentExample | undefined> => {
        const text =
          kind === 'path'
            ? (await understandPath(deps, space, readDeadPath(testCase.input))).words.words.join(' ')
            : testCase.input;
        if (text === '') return undefined;
        const all = await findContentCandidates(deps, space, UNCALIBRATED.query.rank, text, CANDIDATES);
        const judged = all.map(({ page, evidence }) => ({ evidence, right: isRight(testCase, page.page_id) }));
        return {
          site: site.name,
          kind,
          candidates: judged.sort((a, b) => value(b.evidence) - value(a.evidence)).slice(0, BEST),
        };
      });
      evidence.content.push(...examples.filter((example) => example !== undefined));
    };
    await content(spread(site.queries, most), 'query');
    await content(site.meant_questions, 'meant');
    await content(await readDeepQuestions(join(cases ?? '', 'deep', `${basename(folder)}.jsonl`)), 'deep');
    await content(foreign.questions, 'foreign');
    await content(spread(site.redirects, most), 'path');
    if (!contentOnly) {
      const options = { most, titlesInContent: true };
      const takenOff = await takeOff(service, indexed, site, options, (cases, kind) => suggest(cases, kind));
      evidence.suggest.push(...takenOff.deleted, ...takenOff.taken_off);
      const { known, heldOut } = halve(site.redirects);
      await importCases(service, projectId, known);
      evidence.suggest.push(...(await suggest(spread(heldOut, most), 'known')));
    }
    process.stderr.write(`${site.name}: evidence collected\n`);
  }
  return evidence;
}

/** So many cases of other sites are asked at each. */
const FOREIGN = 40;

/** Evenly spread cases of all other sites, with no right page. */
async function readForeign(folder: string | undefined, site: string): ReturnType<typeof readMeant> {
  const files = folder === undefined ? [] : (await readdir(folder)).filter((file) => file.endsWith('.jsonl')).sort();
  const otherFiles = files.filter((file) => file !== `${site}.jsonl`);
  const rows = (await Promise.all(otherFiles.map((file) => readMeant(join(folder ?? '', file))))).flat();
  const none = (cases: readonly Case[]): Case[] =>
    spread(cases, FOREIGN).map((testCase) => ({ ...testCase, right: [] }));
  return {
    paths: none(rows.flatMap(({ paths }) => paths)),
    questions: none(rows.flatMap(({ questions }) => questions)),
  };
}

async function pagePaths(service: Service, projectId: string): Promise<{ page_id: string; path: string }[]> {
  const { rows } = await service.database.connection.pool.query<{ page_id: string; path: string }>(
    'select page_id, path from pathmend.indexed_pages where project_id = $1',
    [projectId],
  );
  return rows;
}
