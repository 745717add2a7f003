import { join } from 'node:path';
import { expect } from 'chai';
import type { SearchSpace } from '#src/search/store/space.js';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { updateOwnIndexes } from '#src/pages/large-projects/build-segments-job.js';
import { packageRoot } from '#src/base/package-root.js';
import { deleteIndexSegments } from '#src/pages/store/segments.js';
import { withBuildLock } from '#src/projects/turns.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { rankForPath } from '#src/search/candidates/rank-for-path.js';
import { rankForQuery, rankForTyped } from '#src/search/candidates/rank-for-query.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { wholeProject } from '../../scripts/whole-project.js';
import { onServer } from './database.js';
import { startTestService, type TestProject, type TestService } from './service.js';
import { query } from './sql.js';
import { until } from './until.js';

/** The setting OWN_INDEX_PASSAGES of the service below: the chunks from which a project has its own indexes. */
export const OWN_INDEX_PASSAGES = 200;

export const QUESTIONS = [
  'how long does delivery take',
  'moka pot',
  'send something back',
  'grinder is jammed',
  'gift card',
  'dark roast',
  'wholesale',
];
export const PATHS = [
  '/help/retrun-policy.html',
  '/products/moka',
  '/blog/pour-over',
  '/account/password/reset',
  '/shop/grinders',
  '/contact-us.php',
];

export interface Found {
  url: string;
  score: number;
}

/**
 * A service whose projects are large from {@link OWN_INDEX_PASSAGES} on. It needs a server: the embedded database
 * scans.
 */
export class LargeProjects {
  readonly running: TestService;

  private constructor(running: TestService) {
    this.running = running;
  }

  static async start(): Promise<LargeProjects> {
    return new LargeProjects(
      await startTestService({ OWN_INDEX_PASSAGES: String(OWN_INDEX_PASSAGES), SEARCH_CACHE_ENTRIES: '0' }),
    );
  }

  /** Makes a project of the example shop, with one segment that holds all of it. */
  async newProject(): Promise<TestProject> {
    const project = await this.running.newProject();
    await this.pushShop(project, 0, 200);
    await until('the indexes are built', async () => (await this.coverage(project)).segments > 0, 60_000);
    // On a busy machine a first part of the pages gets a segment of its own, and a small rest is never merged with it.
    await until(
      'one segment holds all, and what it took the place of is gone',
      async () => {
        await this.update(project);
        const { segments, rest } = await this.coverage(project);
        if (segments === 1 && rest === 0) return (await this.indexNames(project)).length === 4;
        const { project_id: id } = project.row;
        await withBuildLock(this.running.service.database.direct.db, id, (session) => deleteIndexSegments(session, id));
        return false;
      },
      60_000,
    );
    await this.running.service.deps.ownIndexes.refresh();
    return project;
  }

  async pushShop(to: TestProject, from: number, until: number): Promise<void> {
    const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    const check = createPageCheck();
    const part = pages
      .slice(from, until)
      .map(({ url, title, content, metadata }) => check({ url, content, title, metadata }));
    await upsertPages(this.running.service.deps, this.running.service.deps.tenants.of(to.row.project_id), part);
    await to.indexed();
  }

  /** Returns the number of a project's segments, the last arrival that they cover, and the number of later chunks. */
  async coverage(of: TestProject): Promise<{ segments: number; covered: string | null; rest: number }> {
    const [row] = await query<{ segments: number; covered: string | null; rest: number }>(
      this.running.service,
      `select count(*)::int as segments, max(covered) as covered,
              (select count(*)::int from pathmend.chunks c
                where c.project_id = $1 and c.arrival > coalesce(max(s.covered), -1)) as rest
         from pathmend.index_segments s where s.project_id = $1`,
      [of.row.project_id],
    );
    return row ?? { segments: 0, covered: null, rest: 0 };
  }

  /** Returns what the project's own indexes find, and what a scan of the same pages finds at the same moment. */
  async foundBothWays(
    of: TestProject,
    by: { path: string } | { query: string } | { typed: string },
  ): Promise<{ indexed: string[]; scanned: string[] }> {
    const { deps, models } = this.running.service;
    const { modelId } = await models.named('static');
    const space = wholeProject(deps.tenants.of(of.row.project_id), modelId);
    const calibration = await deps.calibrationOf(modelId);
    const urls = async (searchSpace: SearchSpace): Promise<string[]> => {
      const { ranked } =
        'path' in by
          ? await rankForPath(deps, calibration.suggest, searchSpace, readDeadPath(by.path), 3)
          : 'typed' in by
            ? await rankForTyped(deps, calibration.query, searchSpace, by.typed, 10)
            : await rankForQuery(deps, calibration.query, searchSpace, by.query, 10);
      return ranked.slice(0, 'path' in by ? 3 : 10).map(({ page }) => page.path);
    };
    return {
      indexed: await urls({ ...space, covered: deps.ownIndexes.covered(of.row.project_id, modelId) }),
      scanned: await urls(space),
    };
  }

  async ask(of: TestProject, body: { path: string } | { query: string }, options: object = {}): Promise<Found[]> {
    const route = 'path' in body ? '/v1/suggest' : '/v1/semantic-search';
    const answer = await of.post(route, { ...body, limit: 10, options: { searchThreshold: 0, ...options } });
    expect(answer.status).to.equal(200);
    return (answer.body.suggestions as Found[]).map(({ url, score }) => ({ url, score }));
  }

  /** The names of the indexes of its segments' tables. */
  async indexNames(of: TestProject): Promise<string[]> {
    return (
      await query<{ name: string }>(
        this.running.service,
        `select indexrelname as name from pg_stat_user_indexes
          where schemaname = 'pathmend_segments' and strpos(relname, $1) > 0 order by 1`,
        [`_${of.row.project_id.replaceAll('-', '')}_`],
      )
    ).map(({ name }) => name);
  }

  /** The number of reads of its indexes, as far as the statistics have counted them. */
  async uses(of: TestProject): Promise<number> {
    const [row] = await query<{ uses: number }>(
      this.running.service,
      `select coalesce(sum(idx_scan), 0)::int as uses from pg_stat_user_indexes
        where schemaname = 'pathmend_segments' and strpos(relname, $1) > 0`,
      [`_${of.row.project_id.replaceAll('-', '')}_`],
    );
    return row?.uses ?? 0;
  }

  /** Looks at the project as its job does, as if nothing had arrived for long. */
  update(of: TestProject): Promise<void> {
    return updateOwnIndexes(
      {
        ...this.running.service.deps,
        dbWithSession: this.running.service.database.direct.db,
        ownIndexChunks: OWN_INDEX_PASSAGES,
      },
      of.row.project_id,
      { quietSeconds: 0 },
    );
  }

  /** The names of its segments' tables, of one kind. */
  async tablesOf(of: TestProject, kind: string): Promise<string[]> {
    return (
      await query<{ name: string }>(
        this.running.service,
        `select relname as name from pg_class
          where relnamespace = 'pathmend_segments'::regnamespace and relkind = 'r' and starts_with(relname, $1) order by oid`,
        [`${kind}_${of.row.project_id.replaceAll('-', '')}_`],
      )
    ).map(({ name }) => name);
  }

  async expectAnswersOfScan(of: TestProject): Promise<void> {
    await this.running.service.deps.ownIndexes.refresh();
    for (const by of [...QUESTIONS.map((text) => ({ query: text })), ...PATHS.map((path) => ({ path }))]) {
      const { indexed, scanned: all } = await this.foundBothWays(of, by);
      expect(indexed, JSON.stringify(by)).to.deep.equal(all);
    }
  }
}

/** Starts and prepares a service of large projects before the tests around the call, and ends it after them. */
export function startLargeProjects(prepare: (started: LargeProjects) => Promise<void>): () => LargeProjects {
  let projects: LargeProjects | undefined;

  before(async function () {
    // Server only: the embedded database scans, since building would keep its one session busy.
    if (!onServer()) this.skip();
    this.timeout(120_000);
    projects = await LargeProjects.start();
    await prepare(projects);
  });
  after(() => projects?.running.stop());

  return () => {
    if (!projects) throw new Error('runs inside tests only');
    return projects;
  };
}
