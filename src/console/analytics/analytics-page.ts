import type { Days } from '../../analytics/range.js';
import type { Visitor } from '../../base/glossary.js';
import { selectOrigins } from '../../analytics/store/not-founds.js';
import { html, type Html } from '../../text/html.js';
import { field, select } from '../shared/components.js';
import { projectPage, type ProjectVisit } from '../shared/console-page.js';
import { showReports, type Report, type ShownPeriod } from './report.js';
import { tabs } from '../shared/links.js';
import { rangeForm, readShownRange } from '../shared/range.js';

const TABS = {
  '': 'Missing pages',
  '/redirects': 'Redirects',
  '/links': 'Links and gaps',
  '/searches': 'Searches',
  '/usage': 'Speed and usage',
};
const MAX_ORIGINS = 25;
const MAX_PREFIX = 500;

/** The visitors whose 404s are counted, by the value of `visitors` in the url. */
const VISITORS: Readonly<Record<string, { name: string; kinds: readonly Visitor[] }>> = {
  people: { name: 'people', kinds: ['person', 'unknown'] },
  assistants: { name: 'assistants', kinds: ['assistant'] },
  engines: { name: 'search engines', kinds: ['search_engine'] },
  robots: { name: 'robots and scanners', kinds: ['robot', 'scanner'] },
  all: { name: 'everyone', kinds: ['person', 'unknown', 'assistant', 'search_engine', 'robot', 'scanner'] },
};

/** The filters for the reports of a page. */
type Filter = 'origin' | 'visitors' | 'prefix';

/** A page of reports, each with downloads (`?csv=ID`, `?jsonl=ID`). */
export function analyticsPage(tab: keyof typeof TABS, reports: readonly Report[], filters: readonly Filter[] = []) {
  return projectPage({
    path: `/p/:project/analytics${tab}`,
    title: 'Analytics',
    ...(tab === '' && { nav: 'Analytics' }),
    show: async (unread) => {
      const { visit, period } = readPeriod(unread);
      const here = visit.ownHref(`/analytics${tab}`);
      const [fields, { raw, sections }] = await Promise.all([
        filterFields(visit, period, filters),
        showReports(visit, period, reports, (more) => here + writeQuery(visit, period, more)),
      ]);
      if (raw) return { content: html``, raw };
      const days = new URLSearchParams({ from: period.from, to: period.to }).toString();
      const nav = { label: 'Analytics', base: '/analytics', pages: TABS, query: `?${days}` };
      const hrefOf = (other: Days): string => here + writeQuery(visit, { ...period, ...other }, {});
      return html`${tabs(visit, nav, tab)}${rangeForm(visit, period, here, hrefOf, fields)}${sections}`;
    },
  });
}

function visitorsOf({ query }: ProjectVisit): string {
  const name = query.get('visitors') ?? '';
  return Object.hasOwn(VISITORS, name) ? name : 'people';
}

function writeQuery(visit: ProjectVisit, { from, to, origin, prefix }: ShownPeriod, more: Record<string, string>) {
  const visitors = visitorsOf(visit);
  const fields = {
    ...{ from, to },
    ...(origin !== undefined && { origin }),
    ...(visitors !== 'people' && { visitors }),
    ...(prefix !== undefined && { prefix }),
    ...more,
  };
  return `?${new URLSearchParams(fields).toString()}`;
}

/** Reads the days and filters of the query string. */
function readPeriod(unread: ProjectVisit): { visit: ProjectVisit; period: ShownPeriod } {
  const { visit, range } = readShownRange(unread);
  const { query } = visit;
  const prefix = [...(query.get('prefix') ?? '').trim()].slice(0, MAX_PREFIX).join('');
  const origin = query.get('origin') ?? 'any';
  const filters = {
    origin: origin === 'any' ? undefined : origin === 'none' ? '' : origin.slice(0, 1_000),
    visitors: VISITORS[visitorsOf(visit)]?.kinds,
    prefix: prefix === '' ? undefined : prefix,
  };
  return { visit, period: { ...range, ...filters } };
}

async function filterFields(visit: ProjectVisit, period: ShownPeriod, filters: readonly Filter[]): Promise<Html> {
  const origins = filters.includes('origin') ? await selectOrigins(visit.tenant, period, MAX_ORIGINS) : [];
  const { origin = 'any', prefix } = period;
  const kinds = Object.fromEntries(Object.entries(VISITORS).map(([key, { name }]) => [key, name]));
  const all = [...new Set([...origins, ...(origin === 'any' ? [] : [origin])])];
  const choices = { any: 'all', ...Object.fromEntries(all.map((name) => [name || 'none', name || 'unknown'])) };
  const prefixes = { maxlength: MAX_PREFIX, placeholder: '/blog/' };
  const begin = { name: 'prefix', label: 'Paths starting with', type: 'search', attributes: prefixes } as const;
  return html`${
    (all.length > 1 || origin !== 'any') &&
    select(visit, { name: 'origin', label: 'Origin of the 404s', value: origin || 'none', choices })
  }${
    filters.includes('visitors') &&
    select(visit, { name: 'visitors', label: 'Daily figures for', value: visitorsOf(visit), choices: kinds })
  }${filters.includes('prefix') && field(visit, { ...begin, ...(prefix !== undefined && { value: prefix }) })}`;
}
