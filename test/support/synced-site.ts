import { randomUUID } from 'node:crypto';
import type { Actor } from '#src/accounts/actor.js';
import { setSource, type SourceChoice } from '#src/sync/project-source.js';
import { readRun, requestSync, type Run } from '#src/sync/request-sync.js';
import type { ProjectSource } from '#src/sync/store/project-sources.js';
import type { TestProject, TestService } from './service.js';
import { query } from './sql.js';
import { until } from './until.js';
import { html, page, startSite, text, type WebSite } from './web-site.js';

/** Somebody who is logged in to the console. */
export const PERSON: Actor = {
  name: 'p@example.com',
  userId: randomUUID(),
  who: 'p@example.com',
  method: 'password',
  address: '',
};

/** A site on loopback, which a test changes as it likes. */
export interface ChangingSite {
  web: WebSite;
  paths: string[];
  /** The links of its first page to paths that are not its pages. */
  deadLinks: string[];
  hasSitemap: boolean;
  /** This is called at each page; the site answers when the returned promise has resolved. */
  atPage: (path: string) => Promise<void> | undefined;
}

export async function startChangingSite(): Promise<ChangingSite> {
  const site: Omit<ChangingSite, 'web'> = { paths: [], deadLinks: [], hasSitemap: true, atPage: () => undefined };
  const web = await startSite((path, response) => {
    const urls = site.paths.map((sitePath) => `<url><loc>${web.origin}${sitePath}</loc></url>`).join('');
    if (path === '/sitemap.xml' && site.hasSitemap)
      text(response, 200, `<urlset>${urls}</urlset>`, { 'content-type': 'text/xml' });
    else if (site.paths.includes(path))
      void Promise.resolve(site.atPage(path)).then(() => {
        html(response, page(`Page ${path}`, path === '/' ? [...site.paths, ...site.deadLinks] : []));
      });
    else text(response, 404);
  });
  return Object.assign(site, { web });
}

/** A project whose source is the site, with the actions on its source. */
export class SyncedProject {
  readonly id: string;
  readonly #test: TestService;
  readonly #site: ChangingSite;

  constructor(test: TestService, site: ChangingSite, { row }: TestProject) {
    this.id = row.project_id;
    this.#test = test;
    this.#site = site;
  }

  get deps() {
    return { ...this.#test.service.deps, db: this.#test.service.db };
  }

  set(choice: Partial<SourceChoice> = {}, by = PERSON): Promise<ProjectSource | undefined> {
    const all = { kind: 'url' as const, source: this.#site.web.origin, every_seconds: null, prune: false, ...choice };
    return setSource(this.deps, this.id, all, by);
  }

  ask(preview = false): Promise<string> {
    return requestSync(this.deps, this.id, { preview, by: PERSON });
  }

  async run(runId: string): Promise<Run> {
    const run = await readRun(this.deps.db, this.id, runId);
    if (!run) throw new Error('the run is gone');
    return run;
  }

  async ended(runId: string): Promise<Run> {
    await until('the sync has ended', async () => (await this.run(runId)).ended_at !== null, 60_000);
    return this.run(runId);
  }

  async sync(preview = false): Promise<Run> {
    return this.ended(await this.ask(preview));
  }

  rows<Row>(statement: string): Promise<Row[]> {
    return query<Row & object>(this.#test.service, statement, [this.id]);
  }

  /** The urls of its pages, without the origin. */
  async urls(): Promise<string[]> {
    const rows = await this.rows<{ url: string }>(
      'select url from pathmend.pages where project_id = $1 order by url collate "C"',
    );
    return rows.map(({ url }) => url.replace(this.#site.web.origin, ''));
  }

  /** The number of its sync jobs that no worker has completed. */
  async jobs(): Promise<number> {
    const [row] = await this.rows<{ jobs: number }>(
      `select count(*)::int as jobs from pgboss.job_common
        where name = 'sync-source' and state < 'completed' and data ->> 'projectId' = $1`,
    );
    return row?.jobs ?? 0;
  }
}
