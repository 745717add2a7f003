import type { Visitor } from '../../base/glossary.js';
import { selectOrigins, type Period } from '../../analytics/store/not-founds.js';
import { html, type Html } from '../../text/html.js';
import { field, select } from '../shared/components.js';
import { projectPage, type Mountable, type ProjectVisit } from '../shared/console-page.js';
import { dayOf } from '../shared/recovery-chart.js';
import type { Report } from './report.js';
import { tabs } from '../shared/links.js';

const TABS = {
  '': 'Missing pages',
  '/redirects': 'Redirects',
  '/links': 'Links and gaps',
  '/searches': 'Searches',
  '/usage': 'Speed and usage',
};
const DAY_CHOICES = { '7': 'the last 7 days', '30': 'the last 30 days', '90': 'the last 90 days' };
const MAX_ORIGINS = 25;
const MAX_PREFIX = 500;

/** Whose 404s, by the name in the url. */
const VISITORS: Readonly<Record<string, { name: string; kinds: readonly Visitor[] }>> = {
  people: { name: 'people', kinds: ['person', 'unknown'] },
  assistants: { name: 'assistants', kinds: ['assistant'] },
  engines: { name: 'search engines', kinds: ['search_engine'] },
  robots: { name: 'robots and scanners', kinds: ['robot', 'scanner'] },
  all: { name: 'everyone', kinds: ['person', 'unknown', 'assistant', 'search_engine', 'robot', 'scanner'] },
};

/** The filters for the reports of a page. */
type Filter = 'origin' | 'visitors' | 'prefix';

/** A page of reports, each with a download (`?csv=ID`). */
export function analyticsPage(
  tab: keyof typeof TABS,
  reports: readonly Report[],
  filters: readonly Filter[] = [],
): Mountable {
  return projectPage({
    path: `/p/:project/analytics${tab}`,
    title: 'Analytics',
    ...(tab === '' && { nav: 'Analytics' }),
    show: async (visit) => {
      const period = readPeriod(visit);
      const query = (csv?: string): string => {
        const { days, origin, prefix } = period;
        const visitors = visitorsOf(visit);
        const fields = {
          days: String(days),
          ...(origin !== undefined && { origin }),
          ...(visitors !== 'people' && { visitors }),
          ...(prefix !== undefined && { prefix }),
          ...(csv !== undefined && { csv }),
        };
        return `?${new URLSearchParams(fields).toString()}`;
      };
      const asked = reports.find(({ id }) => id === visit.query.get('csv'));
      if (asked) {
        const body = await asked.csv(visit, period);
        return { content: html``, raw: { type: 'text/csv', body, filename: `${asked.id}-${period.today}.csv` } };
      }
      const here = visit.ownHref(`/analytics${tab}`);
      const nav = { label: 'Analytics', base: '/analytics', pages: TABS, query: `?days=${period.days}` };
      const [form, ...sections] = await Promise.all([
        filterForm(visit, here, period, filters),
        ...reports.map((one) => one.section(visit, period, here + query(one.id))),
      ]);
      return html`${tabs(visit, nav, tab)}${form}${sections}`;
    },
  });
}

function visitorsOf({ query }: ProjectVisit): string {
  const name = query.get('visitors') ?? '';
  return Object.hasOwn(VISITORS, name) ? name : 'people';
}

function readPeriod(visit: ProjectVisit): Period {
  const { query, deps } = visit;
  const prefix = [...(query.get('prefix') ?? '').trim()].slice(0, MAX_PREFIX).join('');
  const days = query.get('days') ?? '';
  const origin = query.get('origin') ?? 'any';
  return {
    today: dayOf(deps.clock.now()),
    days: Object.hasOwn(DAY_CHOICES, days) ? Number(days) : 30,
    origin: origin === 'any' ? undefined : origin === 'none' ? '' : origin.slice(0, 1_000),
    visitors: VISITORS[visitorsOf(visit)]?.kinds,
    prefix: prefix === '' ? undefined : prefix,
  };
}

async function filterForm(
  visit: ProjectVisit,
  here: string,
  period: Period,
  filters: readonly Filter[],
): Promise<Html> {
  const origins = filters.includes('origin') ? await selectOrigins(visit.tenant, period, MAX_ORIGINS) : [];
  const { origin = 'any', prefix } = period;
  const whose = Object.fromEntries(Object.entries(VISITORS).map(([key, { name }]) => [key, name]));
  const all = [...new Set([...origins, ...(origin === 'any' ? [] : [origin])])];
  const choices = { any: 'all', ...Object.fromEntries(all.map((one) => [one || 'none', one || 'unknown'])) };
  return html`<form method="get" action="${here}" class="row period">${select(visit, { name: 'days', label: 'Days (UTC)', value: String(period.days), choices: DAY_CHOICES })}${
    all.length > 1 || origin !== 'any'
      ? select(visit, { name: 'origin', label: 'Origin of the 404s', value: origin || 'none', choices })
      : undefined
  }${
    filters.includes('visitors')
      ? select(visit, { name: 'visitors', label: 'Daily figures for', value: visitorsOf(visit), choices: whose })
      : undefined
  }${
    filters.includes('prefix')
      ? field(visit, {
          name: 'prefix',
          label: 'Paths starting with',
          type: 'search',
          ...(prefix !== undefined && { value: prefix }),
          attributes: { maxlength: MAX_PREFIX, placeholder: '/blog/' },
        })
      : undefined
  }<button class="button">Show</button></form>`;
}
