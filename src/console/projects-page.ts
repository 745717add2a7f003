import { includesRole, roleIn } from '../accounts/roles.js';
import { selectProjectsAfter, selectProjectsAtWork } from '../analytics/store/projects-overview.js';
import { selectRecoveryDays } from '../analytics/store/recovery.js';
import { html, type Html, type HtmlValue } from '../text/html.js';
import { amount, countOf } from '../text/count-of.js';
import { percent } from './shared/numbers.js';
import { empty, table } from './shared/components.js';
import { userPage, type UserVisit } from './shared/console-page.js';
import { healthBadge } from './shared/status.js';
import { countUnresolved } from './inbox/read-inbox.js';
import { dayOf, lastDays, sumUp } from './shared/recovery-chart.js';

const DAYS = 7;
/** Each looks into its inbox. */
const SHOWN = 15;
const MAX_COUNTED = 50;
/** Of an inbox: the paths that most people met are among the first. */
const MAX_LOOKED = 500;

/** The projects that one may see: what happened in a week, what needs doing, and whether they work. */
export const projectsPage = userPage({
  path: '/',
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
    return {
      title: 'All projects',
      content: html`${make}${
        projects.length === 0
          ? none(visit, after !== undefined)
          : html`<p class="explained">Counts cover people in the last ${DAYS} days. Recovered: redirected, or clicked a suggestion.</p>${table(
              'Your projects',
              [
                'Project',
                { name: '404s from people', isNumber: true },
                { name: 'Recovered', isNumber: true },
                'To do',
                'Health',
                'Your role',
              ],
              await rowsOf(visit, projects),
            )}${last === undefined ? undefined : html`<p class="pager"><a class="button" href="${href(`/?${more}`)}">Next ${SHOWN} projects</a></p>`}`
      }`,
    };
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

async function rowsOf({ deps, user, href }: UserVisit, projects: readonly Listed[]): Promise<HtmlValue[][]> {
  const now = deps.clock.now();
  const ids = projects.map(({ project_id }) => project_id);
  const days = lastDays(now, DAYS);
  const [recovery, work] = await Promise.all([
    selectRecoveryDays(deps.db, ids, dayOf(now), DAYS),
    selectProjectsAtWork(deps.db, ids),
  ]);
  const rows: HtmlValue[][] = [];
  for (const { project_id: id, name, plan } of projects) {
    const of = recovery.filter(({ project_id }) => project_id === id);
    const { hits, recovered } = sumUp(of, days);
    const at = work.find(({ project_id }) => project_id === id);
    const { count, isMore } = await countUnresolved(deps, id, MAX_COUNTED, MAX_LOOKED);
    const todo = [
      {
        count,
        what: `${isMore ? `${count}+` : amount(count)} missing ${count === 1 ? 'path' : 'paths'}`,
        to: '/inbox',
      },
      { count: at?.errors ?? 0, what: `${countOf(at?.errors ?? 0, 'page')} in error`, to: '/pages?status=ERROR' },
      { count: at?.alerts ?? 0, what: countOf(at?.alerts ?? 0, 'alert'), to: '/watch' },
    ].filter((one) => one.count > 0);
    rows.push([
      html`<a href="${href(`/p/${id}`)}"><bdi>${name}</bdi></a>`,
      html`<a href="${href(`/p/${id}/analytics?days=${DAYS}`)}" aria-label="404s of ${name}: ${amount(hits)}">${amount(hits)}</a>`,
      percent(recovered, hits),
      todo.length === 0
        ? html`<span class="quiet">nothing</span>`
        : todo.map(
            ({ to, what }) =>
              html`<a class="todo-link" href="${href(`/p/${id}${to}`)}" aria-label="${what} of ${name}">${what}</a>`,
          ),
      healthBadge({ plan, waiting_since: at?.waiting_since ?? null }, now),
      roleIn(user, id) ?? '',
    ]);
  }
  return rows;
}
