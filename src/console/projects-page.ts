import { includesRole, roleIn } from '../accounts/roles.js';
import {
  NO_RECOVERY,
  selectProjectsAfter,
  selectProjectsAtWork,
  selectRecovery,
  type Recovery,
} from '../analytics/store/projects-overview.js';
import { findEmptyProjects } from '../pages/store/page-counts.js';
import { html, type Html } from '../text/html.js';
import { amount, countOf } from '../text/count-of.js';
import { percent } from './shared/numbers.js';
import { empty, table } from './shared/components.js';
import { pager } from './shared/links.js';
import { userPage, type UserVisit } from './shared/console-page.js';
import { healthBadge } from './shared/status.js';
import { countUnresolved } from './inbox/read-inbox.js';
import type { Range } from '../analytics/range.js';
import { fileLinks, fileOf, writeFile } from './analytics/report-files.js';
import { hrefsOf, rangeForm, readShownRange } from './shared/range.js';

/** The number of projects on a page. It is small, because the inbox of each project is counted. */
const SHOWN = 15;
const MAX_DOWNLOADED = 1_000;

/** Lists the projects that the user may see: what happened on some days, what needs doing, and whether they work. */
export const projectsPage = userPage({
  path: '/',
  title: 'All projects',
  show: async (unread) => {
    const { visit, range } = readShownRange(unread);
    const { deps, user, query, href } = visit;
    const after = query.get('after') ?? undefined;
    const ids = user.role === null ? Object.keys(user.memberships) : undefined;
    const raw = await fileOf(visit, range, 'projects', async (kind) => {
      const all = await readFigures(visit, range, await selectProjectsAfter(deps.db, ids, undefined, MAX_DOWNLOADED));
      return writeFile(kind, FIGURES, all);
    });
    if (raw) return { content: html``, raw };
    const rows = await selectProjectsAfter(deps.db, ids, after, SHOWN + 1);
    const projects = rows.slice(0, SHOWN);
    const last = rows.length > SHOWN ? projects.at(-1) : undefined;
    const hrefOf = hrefsOf(href('/'));
    const make =
      includesRole(user.role, 'admin') && html`<p><a class="button primary" href="${href('/new')}">New project</a></p>`;
    return html`${make}${
      projects.length === 0
        ? none(visit, after !== undefined)
        : html`${rangeForm(visit, range, href('/'), hrefOf)}<p class="explained">Counts cover people. Recovered: redirected, or clicked a suggestion. Before: on as many days before.</p>${await list(visit, range, projects)}${fileLinks('projects', 'Your projects', (more) => hrefOf(range, more))}${last && pager(hrefOf(range, { after: last.name }), `Next ${SHOWN} projects`)}`
    }`;
  },
});

/** The text in place of an empty list, which suggests what to do. */
function none({ user }: UserVisit, isBehind: boolean): Html {
  if (isBehind) return empty('No more projects.', 'You have seen all of your projects.');
  if (user.role === null)
    return empty(
      'You have no projects yet.',
      html`Ask an operator to invite you: <code>user invite --email ${user.email} --role editor --project mysite</code>`,
    );
  return empty(
    'No projects yet.',
    `A project is one site. ${user.role === 'admin' ? 'Create one and enter the address of the site' : 'Ask an admin of all projects to create one'}.`,
  );
}

type Listed = Awaited<ReturnType<typeof selectProjectsAfter>>[number];

type Figures = Listed & Recovery;

const FIGURES: readonly { name: string; value: (row: Figures) => string | number }[] = [
  { name: 'Project', value: ({ name }) => name },
  { name: '404s from people', value: ({ hits }) => hits },
  { name: 'Before', value: ({ before }) => before },
  { name: 'Recovered', value: ({ recovered }) => recovered },
  { name: 'Recovered before', value: (row) => row.recovered_before },
];

async function readFigures({ deps }: UserVisit, range: Range, projects: readonly Listed[]): Promise<Figures[]> {
  const ids = projects.map(({ project_id }) => project_id);
  const met = new Map((await selectRecovery(deps.db, ids, range)).map((row) => [row.project_id, row]));
  return projects.map((project) => ({ ...NO_RECOVERY, ...met.get(project.project_id), ...project }));
}

async function list(visit: UserVisit, range: Range, projects: readonly Listed[]): Promise<Html> {
  const { deps, user, href } = visit;
  const now = deps.clock.now();
  const ids = projects.map(({ project_id }) => project_id);
  const [figures, work, empties] = await Promise.all([
    readFigures(visit, range, projects),
    selectProjectsAtWork(deps.db, ids),
    findEmptyProjects(deps.db, ids),
  ]);
  const rows = [];
  for (const { project_id: id, name, plan, hits, recovered, before } of figures) {
    const at = work.find(({ project_id }) => project_id === id);
    const inbox = await countUnresolved(deps, id);
    const todo = [
      { ...inbox, to: '/inbox' },
      { count: at?.errors ?? 0, what: `${countOf(at?.errors ?? 0, 'page')} in error`, to: '/pages?status=ERROR' },
      { count: at?.alerts ?? 0, what: countOf(at?.alerts ?? 0, 'alert'), to: '/watch' },
    ].filter((task) => task.count > 0);
    const health = { plan, waiting_since: at?.waiting_since ?? null, isEmpty: empties.includes(id) };
    rows.push({ id, name, hits, before, share: percent(recovered, hits), todo, ...health });
  }
  const shown = `analytics?from=${range.from}&to=${range.to}`;
  return table('Your projects', rows, undefined, {
    Project: ({ id, name }) => html`<a href="${href(`/p/${id}`)}"><bdi>${name}</bdi></a>`,
    '404s from people': ({ id, name, hits }) =>
      html`<a href="${href(`/p/${id}/${shown}`)}" aria-label="404s of ${name}: ${amount(hits)}">${amount(hits)}</a>`,
    Before: ({ before }) => before,
    Recovered: ({ id, name, share }) =>
      html`<a href="${href(`/p/${id}/${shown}#outcomes`)}" aria-label="Recovered of ${name}: ${share}">${share}</a>`,
    'To do': ({ id, name, todo }) =>
      todo.length === 0
        ? html`<span class="quiet">nothing</span>`
        : todo.map(
            ({ to, what }) =>
              html`<a class="todo-link" href="${href(`/p/${id}${to}`)}" aria-label="${what} of ${name}">${what}</a>`,
          ),
    Health: (row) =>
      html`${healthBadge(row, now)}${row.isEmpty && html`<span class="sub"><a href="${href(`/p/${row.id}/connect`)}">Connect the site</a></span>`}`,
    'Your role': ({ id }) => roleIn(user, id) ?? '',
  });
}
