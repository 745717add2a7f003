import { setTimeout as pause } from 'node:timers/promises';
import { countPagesByStatus, countWaitingPages } from '#src/pages/store/page-counts.js';
import { insertProject } from '#src/projects/store/projects.js';
import { createKey } from '#src/projects/keys.js';
import { createPageCheck, type PushedPage } from '#src/pages/check-page.js';
import { importPages } from '#src/pages/import-pages.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import type { Service } from '#src/app/service.js';
import type { SiteData } from './site-data.js';

export interface IndexedSite {
  projectId: string;
  key: string;
  seconds: number;
}

const NO_LIMIT = { read_rate: 1e6, read_burst: 1e6, write_rate: 1e6, write_burst: 1e6 };

/** A project without rate limits. */
export async function createEmptyProject({ db }: Service, name: string): Promise<{ projectId: string; key: string }> {
  const project = await insertProject(db, { name, plan: 'enterprise', ...NO_LIMIT });
  if (!project) throw new Error(`the project ${name} could not be made`);
  const projectId = project.project_id;
  const { key } = await createKey(db, { projectId, mode: 'live', scopes: ['read', 'write', 'rules'], expiresAt: null });
  return { projectId, key };
}

/** Creates a project for a site and indexes its pages. */
export async function indexSite(service: Service, site: SiteData, titlesInContent = false): Promise<IndexedSite> {
  const startedAt = performance.now();
  const { projectId, key } = await createEmptyProject(service, `${site.name} ${Date.now()}`);
  await pushSite(service, projectId, site, titlesInContent);
  return { projectId, key, seconds: (performance.now() - startedAt) / 1000 };
}

/**
 * Pushes a site's pages through the real pipeline, upsert, job, vectors and index, and waits until all are indexed.
 * Pages that are there already stay as they are.
 */
export async function pushSite(
  { db, deps }: Service,
  projectId: string,
  site: SiteData,
  titlesInContent: boolean,
): Promise<void> {
  const report = await importPages(
    site.pagesFile,
    createPageCheck(),
    (pages) => upsertPages(deps, deps.tenants.of(projectId), titlesInContent ? pages.map(withTitleOnTop) : pages),
    () => undefined,
  );
  for (const { line, reason } of report.bad) process.stderr.write(`${site.pagesFile}:${line}: ${reason}\n`);
  while ((await countWaitingPages(db, projectId)) > 0) await pause(100);
  const { ERROR: failed } = await countPagesByStatus(db, projectId);
  if (failed > 0) throw new Error(`${failed} pages of ${site.name} could not be indexed`);
}

function withTitleOnTop(page: PushedPage): PushedPage {
  return page.title ? { ...page, content: `${page.title}\n\n${page.content}` } : page;
}

/** Runs `work` on every item, some at a time; answers in order. */
export async function mapConcurrently<In, Out>(
  items: readonly In[],
  atOnce: number,
  work: (item: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const answers: Out[] = Array<Out>(items.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let i = next++; i < items.length; i = next++) answers[i] = await work(items[i] as In, i);
    }),
  );
  return answers;
}
