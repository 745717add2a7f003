import { sqlState } from '../database/session/connect.js';
import type { Tenant } from '../database/session/tenants.js';
import { storePages, type PushedPage, type UpsertDeps, type UpsertedPage } from './upsert-pages.js';

/** Upserts single pages, those of one project that come at the same time together. */
export interface JoinedUpserts {
  upsert(tenant: Tenant, page: PushedPage): Promise<UpsertedPage>;
}

/** Transactions of one project at once: while one commits, the next is made ready. */
const AT_ONCE = 2;
/** Pages of one transaction, and characters of their contents, but for one page by itself. */
const MOST_PAGES = 32;
const MOST_CHARACTERS = 1_000_000;

/** Classes of errors that one page's data causes: data exception, integrity violation, program limit exceeded. */
const CAUSED_BY_A_PAGE = /^(22|23|54)/;

interface Waiting {
  tenant: Tenant;
  page: PushedPage;
  done: (upserted: UpsertedPage) => void;
  failed: (error: unknown) => void;
}

interface Outcome {
  waiting: Waiting;
  outcome: UpsertedPage | Error;
  indexChanged: boolean;
}

interface Project {
  waiting: Waiting[];
  running: number;
  /** Urls in transactions under way: two that insert the same ones in another order would wait for each other. */
  urls: Set<string>;
}

/**
 * Whoever pushes a site page by page has many requests under way. A transaction, its statements and its commit cost
 * much the same for one page as for ten, so what comes while two are under way goes into the next one; what comes alone
 * waits for nobody. A page whose data the database refuses fails by itself.
 */
export function createJoinedUpserts(deps: UpsertDeps): JoinedUpserts {
  const projects = new Map<string, Project>();

  function begin(projectId: string, project: Project): void {
    while (project.running < AT_ONCE) {
      const batch = takeBatch(project);
      if (batch.length === 0) break;
      project.running++;
      void run(batch, () => {
        project.running--;
        for (const { page } of batch) project.urls.delete(page.url.href);
        begin(projectId, project);
      });
    }
    if (project.running === 0 && project.waiting.length === 0) projects.delete(projectId);
  }

  async function run(batch: readonly Waiting[], stored: () => void): Promise<void> {
    const outcomes = await store(batch);
    const changed = outcomes.find(({ indexChanged }) => indexChanged);
    const seen = changed && deps.indexChanges.committedAndSeen(changed.waiting.tenant.projectId);
    stored();
    const unseen = await seen?.then(
      () => undefined,
      (error: unknown) => error,
    );
    for (const { waiting, outcome } of outcomes) {
      if (outcome instanceof Error) waiting.failed(outcome);
      else if (unseen !== undefined) waiting.failed(unseen);
      else waiting.done(outcome);
    }
  }

  async function store(batch: readonly Waiting[]): Promise<Outcome[]> {
    const [first] = batch;
    if (!first) return [];
    try {
      const { upserted, indexChanged } = await storePages(
        deps,
        first.tenant,
        batch.map(({ page }) => page),
      );
      return batch.map((waiting, i) => ({ waiting, outcome: upserted[i] as UpsertedPage, indexChanged }));
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (batch.length === 1 || !CAUSED_BY_A_PAGE.test(sqlState(error) ?? ''))
        return batch.map((waiting) => ({ waiting, outcome: error, indexChanged: false }));
      const alone: Outcome[] = [];
      for (const waiting of batch) alone.push(...(await store([waiting])));
      return alone;
    }
  }

  return {
    upsert: (tenant, page) =>
      new Promise((done, failed) => {
        const project = projects.get(tenant.projectId) ?? { waiting: [], running: 0, urls: new Set() };
        projects.set(tenant.projectId, project);
        project.waiting.push({ tenant, page, done, failed });
        begin(tenant.projectId, project);
      }),
  };
}

/** What goes into the next transaction, in the order in which it came; a url that is under way waits for its end. */
function takeBatch({ waiting, urls }: Project): Waiting[] {
  const batch: Waiting[] = [];
  let characters = 0;
  for (let i = 0; i < waiting.length && batch.length < MOST_PAGES;) {
    const { page } = waiting[i] as Waiting;
    const fits = batch.length === 0 || characters + page.content.length <= MOST_CHARACTERS;
    if (!fits) break;
    if (urls.has(page.url.href)) {
      i++;
      continue;
    }
    urls.add(page.url.href);
    characters += page.content.length;
    batch.push(...waiting.splice(i, 1));
  }
  return batch;
}
