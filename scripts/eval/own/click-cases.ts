import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '#src/platform/database/sql.js';
import type { Config } from '#src/platform/settings/config.js';
import { connect } from '#src/platform/database/session/connect.js';
import type { Trx } from '#src/platform/database/db.js';
import { runningEmbedded, startEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { OperatorError } from '#src/base/errors.js';
import type { SearchKind } from '#src/base/glossary.js';
import { parseExclusion, parsePageUrl } from '#src/text/page-url.js';
import { withOverlap, type Case, type LeftOut } from '../site-data.js';

export interface ClickedSite {
  projectName: string;
  /** The pages as the site pushed them. */
  pages: { url: string; title: string | null; content: string }[];
  clicks: ClickCount[];
}

/** The number of clicks on one suggestion of an unfiltered search; clicks and searches of test keys do not count. */
export interface ClickCount {
  kind: SearchKind;
  input: string;
  clickedUrl: string;
  clicks: number;
}

/**
 * Reads a project's pages and clicks from the installation that the settings name, in one read-only transaction:
 * nothing is migrated, and a server that runs on it goes on.
 * @throws OperatorError when there is no such installation or project.
 */
export async function readClickedSite(config: Config, project: string): Promise<ClickedSite> {
  const running = config.databaseUrl ?? (await runningEmbedded(config.dataDir));
  if (running === undefined && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new OperatorError(
      `There is no installation in ${config.dataDir}: set DATABASE_URL or DATA_DIR as your server has it.`,
    );
  }
  const embedded = running === undefined ? await startEmbedded(config.dataDir) : undefined;
  const connection = connect({
    url: running ?? embedded?.url ?? '',
    max: 1,
    applicationName: 'pathmend-eval',
    onIdleError: () => undefined,
  });
  try {
    return await connection.db
      .transaction()
      .setAccessMode('read only')
      .execute((trx) => read(trx, project));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The installation cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  } finally {
    await connection.close();
    await embedded?.stop();
  }
}

async function read(trx: Trx, project: string): Promise<ClickedSite> {
  const projects = await sql<{ project_id: string; name: string }>`
    select project_id, name from pathmend.projects
     where name = ${project} or project_id::text = ${project.toLowerCase()}
     order by project_id::text = ${project.toLowerCase()} desc limit 1`.execute(trx);
  const [projectRow] = projects.rows;
  if (!projectRow)
    throw new OperatorError(`There is no project ${JSON.stringify(project)}; \`project list\` shows all.`);
  const pages = await sql<ClickedSite['pages'][number]>`
    select url, title, content from pathmend.pages where project_id = ${projectRow.project_id} order by page_id`.execute(
    trx,
  );
  const clicks = await sql<ClickCount>`
    select s.kind, s.input, c.clicked_url as "clickedUrl", count(*)::int as clicks
      from pathmend.clicks c
      join pathmend.searches s on s.project_id = c.project_id and s.search_id = c.search_id
     where c.project_id = ${projectRow.project_id} and not c.is_test and not s.is_test and not s.filtered
     group by s.kind, s.input, c.clicked_url
     order by s.kind, s.input, clicks desc, c.clicked_url`.execute(trx);
  return { projectName: projectRow.name, pages: pages.rows, clicks: clicks.rows };
}

/**
 * Makes one case of each input that led to clicks: right is the page clicked most often, and any clicked at least half
 * as often. A click says less than a redirect map: nobody can click what was not shown.
 */
export function toClickCases(site: ClickedSite): { redirects: Case[]; queries: Case[]; leftOut: LeftOut[] } {
  const live = new Set(site.pages.map(({ url }) => parsePageUrl(url)?.path ?? url));
  const cases = new Map<string, { isPathSearch: boolean; input: string; clicks: Map<string, number> }>();
  const gone: ClickCount[] = [];
  for (const click of site.clicks) {
    const clicked = parseExclusion(click.clickedUrl);
    const path = 'href' in clicked ? (parsePageUrl(clicked.href)?.path ?? '') : clicked.path;
    if (!live.has(path)) {
      gone.push(click);
      continue;
    }
    const isPathSearch = click.kind === 'suggest' || click.kind === 'proxy';
    const key = `${isPathSearch ? 'path' : 'query'} ${click.input}`;
    const search = cases.get(key) ?? { isPathSearch, input: click.input, clicks: new Map<string, number>() };
    search.clicks.set(path, (search.clicks.get(path) ?? 0) + click.clicks);
    cases.set(key, search);
  }
  const toCase = (search: { input: string; clicks: Map<string, number> }): Case => {
    const sorted = [...search.clicks].sort((a, b) => b[1] - a[1]);
    const most = sorted[0]?.[1] ?? 0;
    return {
      input: search.input,
      right: sorted.filter(([, clicks]) => clicks * 2 >= most).map(([path]) => path),
      kind: 'click',
    };
  };
  const all = [...cases.values()];
  return {
    redirects: all.filter((search) => search.isPathSearch).map((search) => withOverlap(toCase(search))),
    queries: all.filter((search) => !search.isPathSearch).map(toCase),
    leftOut:
      gone.length === 0
        ? []
        : [
            {
              reason: 'the clicked page is not there any more',
              count: gone.length,
              examples: gone.slice(0, 3).map((click) => click.clickedUrl),
            },
          ],
  };
}
