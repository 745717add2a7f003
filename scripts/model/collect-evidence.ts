import { findByContent } from '#src/database/queries/search.js';
import { embedPath, findSuggestCandidates } from '#src/search/suggest.js';
import type { SuggestEvidence } from '#src/search/score.js';
import type { Service } from '#src/service.js';
import { indexSite, mapConcurrently } from '../eval/index-site.js';
import { PROBES } from '../eval/probes.js';
import { readSite, spread, type Case } from '../eval/site-data.js';

/** One search of a site with all its candidates, and which of them are right. */
export interface SuggestExample {
  site: string;
  kind: 'redirect' | 'typo' | 'probe';
  candidates: { evidence: SuggestEvidence; right: boolean }[];
}

/** A page's content beside a question or the words of a path: the right page, or one of nine arbitrary others. */
export interface ContentExample {
  site: string;
  kind: 'query' | 'path';
  cosine: number;
  right: boolean;
}

/** Arbitrary pages beside each right one. */
const OTHERS = 9;

export interface Evidence {
  suggest: SuggestExample[];
  content: ContentExample[];
}

/** Indexes sites through the real pipeline and writes down what speaks for the candidates of each case: of at most
 * `most` cases of a kind and site, evenly spread. */
export async function collectEvidence(service: Service, folders: readonly string[], most: number): Promise<Evidence> {
  const evidence: Evidence = { suggest: [], content: [] };
  for (const folder of folders) {
    const site = await readSite(folder);
    const { projectId } = await indexSite(service, site);
    const deps = service.deps;
    const scope = { projectId, modelId: service.models.configured.modelId, filters: {}, excludedUrls: [], excludedPaths: [] };
    const pathOf = new Map((await pagePaths(service, projectId)).map((row) => [row.page_id, row.path]));
    const isRight = (one: Case, pageId: string): boolean => one.right.includes(pathOf.get(pageId) ?? '');

    const suggest = (cases: readonly Case[], kind: SuggestExample['kind']): Promise<SuggestExample[]> =>
      mapConcurrently(cases, 3, async (one) => {
        const { candidates } = await findSuggestCandidates(deps, scope, one.input, 0);
        return { site: site.name, kind, candidates: candidates.map((c) => ({ evidence: c.evidence, right: isRight(one, c.pageId) })) };
      });
    evidence.suggest.push(...(await suggest(spread(site.redirects, most), 'redirect')), ...(await suggest(spread(site.typos, most), 'typo')));
    evidence.suggest.push(...(await suggest(PROBES.map((input) => ({ input, right: [], kind: 'probe' })), 'probe')));

    const content = async (cases: readonly Case[], kind: ContentExample['kind']): Promise<void> => {
      const found = await mapConcurrently(cases, 3, async (one, index): Promise<ContentExample[]> => {
        const vector =
          kind === 'path' ? (await embedPath(deps, scope, one.input)).vector : await deps.models.embedQuery(scope.modelId, one.input);
        const rows = vector === undefined ? [] : await findByContent(deps.db, scope, vector, site.pages.length);
        // Page identifiers are random: their order has nothing to do with content.
        const others = rows.filter((row) => !isRight(one, row.page_id)).sort((a, b) => (a.page_id < b.page_id ? -1 : 1));
        const from = (index * OTHERS) % Math.max(1, others.length);
        return [...rows.filter((row) => isRight(one, row.page_id)).slice(0, 1), ...[...others, ...others].slice(from, from + OTHERS)].map(
          (row) => ({ site: site.name, kind, cosine: row.cosine, right: isRight(one, row.page_id) }),
        );
      });
      evidence.content.push(...found.flat());
    };
    await content(spread(site.queries, most), 'query');
    await content(spread(site.redirects, most), 'path');
    process.stderr.write(`${site.name}: evidence collected\n`);
  }
  return evidence;
}

async function pagePaths(service: Service, projectId: string): Promise<{ page_id: string; path: string }[]> {
  const { rows } = await service.database.connection.pool.query<{ page_id: string; path: string }>(
    'select page_id, path from pathmend.indexed_pages where project_id = $1',
    [projectId],
  );
  return rows;
}
