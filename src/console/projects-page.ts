import { includesRole, roleIn } from '../accounts/roles.js';
import { selectProjectsAfter, selectProjectsAtWork } from '../analytics/store/projects-overview.js';
import { findEmptyProjects } from '../pages/store/page-counts.js';
import { selectRecoveryDays } from '../analytics/store/recovery.js';
import { html, type Html } from '../text/html.js';
import { amount, countOf } from '../text/count-of.js';
import { percent } from './shared/numbers.js';
import { empty, table } from './shared/components.js';
import { pager } from './shared/links.js';
import { userPage, type UserVisit } from './shared/console-page.js';
import { healthBadge } from './shared/status.js';
import { countUnresolved } from './inbox/read-inbox.js';
import { dayOf, lastDays } from '../analytics/range.js';
import { sumUp } from './shared/recovery-chart.js';

const DAYS = 7;
/** Each looks into its inbox. */
const SHOWN = 15;

/** The projects that one may see: what happened in a week, what needs doing, and whether they work. */
export const projectsPage = userPage({
  path: '/',
  title: 'All projects',
  show: async (visit) => {
    const { deps, user, query, href } = visit;
    const after = query.get('after') ?? undefined;
    const ids = user.role === null ? Object.keys(user.memberships) : undefined;
    const found = await selectProjectsAfter(deps.db, ids, after, SHOWN + 1);
    const projects = found.slice(0, SHOWN);
    const last = found.length > SHOWN ? projects.at(-1) : undefined;
    const more = new URLSearchParams({ after: last?.name ?? '' }).toString();
    const make = includesRole(user.role, 'admin')
      ? html`<p><a class="button primary" href="${href('/new')}">New project</a></p>`
      : undefined;
    return html`${make}${
      projects.length === 0
        ? none(visit, after !== undefined)
        : html`<p class="explained">Counts cover people in the last ${DAYS} days. Recovered: redirected, or clicked a suggestion.</p>${await list(visit, projects)}${last === undefined ? undefined : pager(href(`/?${more}`), `Next ${SHOWN} projects`)}`
    }`;
  },
});

/** What to do. */
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

async function list({ deps, user, href }: UserVisit, projects: readonly Listed[]): Promise<Html> {
  const now = deps.clock.now();
  const ids = projects.map(({ project_id }) => project_id);
  const days = lastDays(now, DAYS);
  const [recovery, work, empties] = await Promise.all([
    selectRecoveryDays(deps.db, ids, { from: days[0] ?? '', to: dayOf(now) }),
    selectProjectsAtWork(deps.db, ids),
    findEmptyProjects(deps.db, ids),
  ]);
  const rows = [];
  for (const { project_id: id, name, plan } of projects) {
    const of = recovery.filter(({ project_id }) => project_id === id);
    const { hits, recovered } = sumUp(of);
    const at = work.find(({ project_id }) => project_id === id);
    const inbox = await countUnresolved(deps, id);
    const todo = [
      { ...inbox, to: '/inbox' },
      { count: at?.errors ?? 0, what: `${countOf(at?.errors ?? 0, 'page')} in error`, to: '/pages?status=ERROR' },
      { count: at?.alerts ?? 0, what: countOf(at?.alerts ?? 0, 'alert'), to: '/watch' },
    ].filter((one) => one.count > 0);
    rows.push({
      id,
      name,
      hits,
      share: percent(recovered, hits),
      todo,
      plan,
      waiting_since: at?.waiting_since ?? null,
      isEmpty: empties.includes(id),
    });
  }
  return table('Your projects', rows, undefined, {
    Project: ({ id, name }) => html`<a href="${href(`/p/${id}`)}"><bdi>${name}</bdi></a>`,
    '404s from people': ({ id, name, hits }) =>
      html`<a href="${href(`/p/${id}/analytics?days=${DAYS}`)}" aria-label="404s of ${name}: ${amount(hits)}">${amount(hits)}</a>`,
    Recovered: ({ id, name, share }) =>
      html`<a href="${href(`/p/${id}/analytics?days=${DAYS}#outcomes`)}" aria-label="Recovered of ${name}: ${share}">${share}</a>`,
    'To do': ({ id, name, todo }) =>
      todo.length === 0
        ? html`<span class="quiet">nothing</span>`
        : todo.map(
            ({ to, what }) =>
              html`<a class="todo-link" href="${href(`/p/${id}${to}`)}" aria-label="${what} of ${name}">${what}</a>`,
          ),
    Health: (row) =>
      html`${healthBadge(row, now)}${row.isEmpty ? html`<span class="sub"><a href="${href(`/p/${row.id}/connect`)}">Connect the site</a></span>` : undefined}`,
    'Your role': ({ id }) => roleIn(user, id) ?? '',
  });
}
