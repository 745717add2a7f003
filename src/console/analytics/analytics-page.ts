import { selectOrigins, type Period } from '../../database/queries/analytics/not-founds.js';
import { html, type Html } from '../../text/html.js';
import { select } from '../components.js';
import { projectPage, type Mountable, type ProjectVisit, type View } from '../console-page.js';
import { dayOf } from '../recovery.js';
import type { Report } from './report.js';

const TABS = { '': 'Missing pages', '/links': 'Links and gaps', '/searches': 'Searches', '/usage': 'Speed and usage' };
const DAY_CHOICES = { '7': 'the last 7 days', '30': 'the last 30 days', '90': 'the last 90 days' };
const MAX_ORIGINS = 25;

/** A page of reports, each with a download (`?csv=ID`). `byOrigin`: its 404s can be narrowed to one origin. */
export function analyticsPage(tab: keyof typeof TABS, reports: readonly Report[], byOrigin = false): Mountable {
  return projectPage({
    path: `/p/:project/analytics${tab}`,
    ...(tab === '' && { nav: 'Analytics' }),
    show: async (visit): Promise<View> => {
      const title = 'Analytics';
      const period = readPeriod(visit);
      const query = (csv?: string): string => {
        const { days, origin } = period;
        const fields = {
          days: String(days),
          ...(origin !== undefined && { origin }),
          ...(csv !== undefined && { csv }),
        };
        return `?${new URLSearchParams(fields).toString()}`;
      };
      const asked = reports.find(({ id }) => id === visit.query.get('csv'));
      if (asked) {
        const body = await asked.csv(visit, period);
        return { title, content: html``, raw: { type: 'text/csv', body, filename: `${asked.id}-${period.today}.csv` } };
      }
      const here = visit.href(`/p/${visit.project.project_id}/analytics${tab}`);
      const [filters, ...sections] = await Promise.all([
        filterForm(visit, here, period, byOrigin),
        ...reports.map((one) => one.section(visit, period, here + query(one.id))),
      ]);
      return { title, content: html`${tabs(visit, tab, period.days)}${filters}${sections}` };
    },
  });
}

function readPeriod({ query, deps }: ProjectVisit): Period {
  const days = query.get('days') ?? '';
  const origin = query.get('origin') ?? 'any';
  return {
    today: dayOf(deps.clock.now()),
    days: Object.hasOwn(DAY_CHOICES, days) ? Number(days) : 30,
    origin: origin === 'any' ? undefined : origin === 'none' ? '' : origin.slice(0, 1_000),
  };
}

function tabs({ href, project }: ProjectVisit, here: keyof typeof TABS, days: number): Html {
  return html`<nav class="tabs" aria-label="Analytics">${Object.entries(TABS).map(
    ([path, name]) =>
      html`<a href="${href(`/p/${project.project_id}/analytics${path}?days=${days}`)}"${path === here ? html` aria-current="page"` : undefined}>${name}</a>`,
  )}</nav>`;
}

async function filterForm(visit: ProjectVisit, here: string, period: Period, byOrigin: boolean): Promise<Html> {
  const origins = byOrigin ? await selectOrigins(visit.tenant, period, MAX_ORIGINS) : [];
  const { origin = 'any' } = period;
  const all = [...new Set([...origins, ...(origin === 'any' ? [] : [origin])])];
  const choices = { any: 'all', ...Object.fromEntries(all.map((one) => [one || 'none', one || 'none told'])) };
  return html`<form method="get" action="${here}" class="row period">${select(visit, { name: 'days', label: 'Days (UTC)', value: String(period.days), choices: DAY_CHOICES })}${
    all.length > 1 || origin !== 'any'
      ? select(visit, { name: 'origin', label: 'Origin of the 404s', value: origin || 'none', choices })
      : undefined
  }<button class="button">Show</button></form>`;
}
