import { roleIn } from '../../accounts/roles.js';
import { listProjects, type ProjectRow } from '../../database/queries/projects.js';
import { selectRecoveryDays } from '../../database/queries/recovery.js';
import { html, type HtmlValue } from '../../text/html.js';
import { amount, percent } from '../amounts.js';
import { empty, table } from '../components.js';
import { userPage, type UserVisit } from '../console-page.js';
import { countUnresolved } from '../inbox/read-inbox.js';
import { dayOf, lastDays, sumUp } from '../recovery.js';

const DAYS = 7;
/** More have no figures: each counts its inbox. */
const MAX_WITH_FIGURES = 20;
const MAX_COUNTED = 100;

/** The projects that one may see, with what happened in a week. */
export const projectsPage = userPage({
  path: '/',
  show: async (visit) => {
    const { deps, user, href } = visit;
    const projects = (await listProjects(deps.db)).filter(({ project_id }) => roleIn(user, project_id));
    const withFigures = projects.slice(0, MAX_WITH_FIGURES);
    const rows: HtmlValue[][] = await withFiguresOf(visit, withFigures);
    const link = ({ project_id, name }: ProjectRow): HtmlValue =>
      html`<a href="${href(`/p/${project_id}`)}"><bdi>${name}</bdi></a>`;
    return {
      title: 'Projects',
      content:
        projects.length === 0
          ? empty('You have no project yet.', 'An operator makes one, and invites you to it.')
          : html`${table(
              'Your projects',
              ['Project', `404s of people, ${DAYS} days`, 'Recovered', 'Inbox', 'Plan', 'Your role'],
              withFigures.map((project, at) => [
                link(project),
                ...(rows[at] ?? []),
                project.plan ?? 'none',
                roleIn(user, project.project_id) ?? '',
              ]),
            )}${projects.length > MAX_WITH_FIGURES ? html`<h2>More projects</h2><ul>${projects.slice(MAX_WITH_FIGURES).map((project) => html`<li>${link(project)}</li>`)}</ul>` : undefined}`,
    };
  },
});

async function withFiguresOf({ deps, href }: UserVisit, projects: readonly ProjectRow[]): Promise<HtmlValue[][]> {
  const now = deps.clock.now();
  const ids = projects.map(({ project_id }) => project_id);
  const days = lastDays(now, DAYS);
  const rows = await selectRecoveryDays(deps.db, ids, dayOf(now), DAYS);
  const found: HtmlValue[][] = [];
  for (const id of ids) {
    const { hits, recovered } = sumUp(
      rows.filter(({ project_id }) => project_id === id),
      days,
    );
    const { count, isMore } = await countUnresolved(deps, id, MAX_COUNTED);
    const inbox = html`<a href="${href(`/p/${id}/inbox`)}">${isMore ? `${count}+` : count}</a>`;
    found.push([amount(hits), percent(recovered, hits), inbox]);
  }
  return found;
}
