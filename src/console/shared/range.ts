import { ApiError } from '../../base/errors.js';
import { dayOf, readRange, type Days, type Range } from '../../analytics/range.js';
import { html, type Html } from '../../text/html.js';
import { field } from './components.js';
import type { Visit } from './console-page.js';

const QUICK_DAYS = [7, 30, 90];

/** Reads the days of the query string. For invalid days, the page shows the reason, and the last thirty days. */
export function readShownRange<Read extends Visit>(visit: Read): { visit: Read; range: Range } {
  const { deps, query } = visit;
  const read = (fields: URLSearchParams): Range => readRange(fields, deps.clock.now(), deps.eventRetentionDays);
  try {
    return { visit, range: read(query) };
  } catch (error) {
    if (!(error instanceof ApiError) || query.has('csv') || query.has('jsonl')) throw error;
    const problem = { message: error.message, field: error.param === 'to' ? 'to' : 'from' };
    return { visit: { ...visit, problem }, range: read(new URLSearchParams()) };
  }
}

/** Writes hrefs of a page with other days and fields. @param kept fields that stay */
export function hrefsOf(here: string, kept: Readonly<Record<string, string>> = {}) {
  return ({ from, to }: Days, more: Readonly<Record<string, string>> = {}): string =>
    `${here}?${new URLSearchParams({ ...kept, from, to, ...more }).toString()}`;
}

/** A form for a page with other days, which `hrefOf` writes, and other fields. The text below explains the days. */
export function rangeForm(
  visit: Visit,
  { from, to, about }: Range,
  action: string,
  hrefOf: (days: Days) => string,
  more?: Html,
): Html {
  const now = visit.deps.clock.now();
  const attributes = { max: dayOf(now) };
  const quick = QUICK_DAYS.map((days) => {
    const last = readRange(new URLSearchParams({ days: String(days) }), now, days);
    return html` <a href="${hrefOf(last)}">Last ${days} days</a>`;
  });
  return html`<form method="get" action="${action}" class="row period">${field(visit, { name: 'from', label: 'From (UTC)', type: 'date', value: from, attributes })}${field(visit, { name: 'to', label: 'To', type: 'date', value: to, attributes })}${more}<button class="button">Show</button>${quick}</form><p class="explained">${about}</p>`;
}
