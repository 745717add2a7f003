import { dayOf, type Range } from '../../analytics/range.js';
import { selectSums, type Period } from '../../analytics/store/not-founds.js';
import type { Sql } from '../../platform/database/sql.js';
import { amount } from '../../text/count-of.js';
import { html, type Html, type HtmlValue } from '../../text/html.js';
import { percent, scoreText } from '../shared/numbers.js';
import { table } from '../shared/components.js';
import type { ProjectVisit, View } from '../shared/console-page.js';
import { pathLink } from '../shared/links.js';
import { fileLinks, fileOf, writeFile, type FileKind, type Value } from './report-files.js';

/** The days and filters of a page's reports. */
export type ShownPeriod = Period & Range;

export interface Column<Row> {
  name: string;
  /** The value in the form of the download: a share is a number from 0 to 1. */
  value: (row: Row) => Value;
  as?: 'url' | 'path' | 'percent' | 'score';
  /**
   * The path, below the project, to which the value links: for a number, to the rows that it counts. Undefined: no
   * link.
   */
  to?: (row: Row, period: ShownPeriod) => string | undefined;
  /** The text in place of a missing value; `none` unless given. */
  none?: string;
  /** A note below the value; in the download it is a column of its own. */
  note?: { name: string; word?: string; value: (row: Row) => Date | string | null };
}

/** Makes the column of a past answer's score, with its day: that of now may differ (docs/evidence/relevance.md). */
export function pastAnswerColumns<Score extends string, At extends string>(
  score: Score,
  at: At,
): Column<Record<Score, number | null> & Record<At, Date | null>> {
  const note = { name: 'Answered on', word: 'on', value: (row: Record<At, Date | null>) => row[at] };
  return { name: 'Last score', value: (row) => row[score], as: 'score', note };
}

export interface ReportOptions<Row> {
  /** The name of the report in urls and file names. */
  id: string;
  title: string;
  /** The text that explains what the report shows, and what to do about it. */
  about: HtmlValue;
  /** The text that is shown if there are no rows. */
  none: string;
  columns: readonly Column<Row>[];
  /** The controls for editors: before a row, behind a row, and around the list. */
  act?: {
    before: (row: Row) => Html;
    behind: (visit: ProjectVisit, row: Row) => Html;
    around: (visit: ProjectVisit, list: Html) => Html;
  };
  /** Reads at most `limit` rows; a query reads all rows if its `limit` is null. */
  read?: (visit: ProjectVisit, period: ShownPeriod, limit: number) => Promise<Row[]> | Row[];
  query?: (visit: ProjectVisit, period: ShownPeriod, limit: number | null) => Sql<Row>;
  /** The sums are computed from these rows in place of the query's. */
  rows?: (visit: ProjectVisit, period: ShownPeriod) => Sql;
  /** Sums of columns over all rows of the query, which are compared with those of the days before. */
  sums?: Readonly<Record<string, readonly string[]>>;
  picture?: (rows: readonly Row[], period: ShownPeriod) => Html;
  /** Whether the picture's own table has the numbers, so that the report needs no other list. */
  isPictureAlone?: boolean;
}

/** A question about the analysts' views, answered as a picture, a table and a file. */
export interface Report {
  id: string;
  title: string;
  /** @param files the hrefs of its downloads */
  section: (visit: ProjectVisit, period: ShownPeriod, files: Html) => Promise<Html>;
  file: (visit: ProjectVisit, period: ShownPeriod, kind: FileKind) => Promise<string>;
}

/** Returns the file that the query string asks for, or else the sections of the reports. */
export async function showReports(
  visit: ProjectVisit,
  period: ShownPeriod,
  reports: readonly Report[],
  hrefOf: (more: Record<string, string>) => string,
): Promise<{ raw: View['raw']; sections: Html[] }> {
  for (const { id, file } of reports) {
    const raw = await fileOf(visit, period, id, (kind) => file(visit, period, kind));
    if (raw) return { raw, sections: [] };
  }
  const sections = reports.map(({ section, id, title }) => section(visit, period, fileLinks(id, title, hrefOf)));
  return { raw: undefined, sections: await Promise.all(sections) };
}

const SHOWN = 15;
const MAX_DOWNLOADED = 5_000;

export function report<Row>(options: ReportOptions<Row>): Report {
  const { id, title, about, none, columns, query, sums = {}, picture, isPictureAlone = false } = options;
  const all = columns.flatMap((column) => (column.note ? [column, column.note] : [column]));
  const read = async (visit: ProjectVisit, period: ShownPeriod, limit: number): Promise<Row[]> =>
    (await options.read?.(visit, period, limit)) ??
    (await query?.(visit, period, limit).execute(visit.tenant.db))?.rows ??
    [];
  const sumUp = (visit: ProjectVisit, period: ShownPeriod): Promise<Record<string, number>> | undefined =>
    query &&
    options.sums &&
    selectSums(visit.tenant, (options.rows ?? query)(visit, period, null), Object.values(sums).flat());
  return {
    id,
    title,
    section: async (visit, period, files) => {
      const [readRows, now, before] = await Promise.all([
        read(visit, period, isPictureAlone ? MAX_DOWNLOADED : SHOWN + 1),
        sumUp(visit, period),
        sumUp(visit, { ...period, ...period.before }),
      ]);
      const rows = readRows.slice(0, isPictureAlone ? undefined : SHOWN);
      const act = visit.may('editor') ? options.act : undefined;
      const compared = now && before && compare(sums, now, before);
      if (rows.length === 0) return html`<h2 id="${id}">${title}</h2><p class="quiet">${none}</p>${compared}`;
      const list = table(title, rows, undefined, {
        ...Object.fromEntries(
          columns.map((column, at) => [
            column.name,
            (row: Row) => html`${at === 0 ? act?.before(row) : undefined}${shown(visit, column, row, period)}`,
          ]),
        ),
        ...(act && { '': (row) => act.behind(visit, row) }),
      });
      const listed = isPictureAlone ? undefined : (act?.around(visit, list) ?? list);
      const more = readRows.length > rows.length ? html`<p class="quiet">Showing the first ${SHOWN}.</p>` : undefined;
      return html`<h2 id="${id}">${title}</h2><p class="explained">${about}</p>${compared}${picture?.(rows, period)}${listed}${files}${more}`;
    },
    file: async (visit, period, kind) => writeFile(kind, all, await read(visit, period, MAX_DOWNLOADED)),
  };
}

/** Shows the sums of these days next to those of as many days before. */
function compare(
  sums: Readonly<Record<string, readonly string[]>>,
  now: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Html {
  const total = (of: Readonly<Record<string, number>>, columns: readonly string[]): string =>
    amount(columns.reduce((sum, column) => sum + (of[column] ?? 0), 0));
  const parts = Object.entries(sums).map(([name, of]) => `${name}: ${total(now, of)} (before: ${total(before, of)})`);
  return html`<p class="compared">${parts.join(' · ')}</p>`;
}

function shown<Row>(visit: ProjectVisit, { note, to, ...column }: Column<Row>, row: Row, period: ShownPeriod) {
  const path = to?.(row, period);
  const value = shownValue(visit, column, row);
  const content = path === undefined ? value : html`<a href="${visit.ownHref(path)}">${value}</a>`;
  const noted = note?.value(row);
  if (!note || !noted) return content;
  return html`${content}<span class="sub">${noted instanceof Date ? day(noted, `${note.word ?? ''} `) : noted}</span>`;
}

function shownValue<Row>(visit: ProjectVisit, { value, as, none = 'none' }: Column<Row>, row: Row): HtmlValue {
  const cell = value(row);
  if (cell === null || cell === '') return none === '' ? '' : html`<span class="quiet">${none}</span>`;
  if (cell instanceof Date) return day(cell);
  if (as === 'percent') return percent(Number(cell));
  if (as === 'score') return scoreText(Number(cell));
  if (as === 'path') return pathLink(visit, String(cell));
  if (typeof cell === 'number') return amount(cell, 1);
  return as === 'url' ? html`<span class="url">${cell}</span>` : cell;
}

function day(date: Date, before = ''): Html {
  return html`<span class="day">${before}${dayOf(date.getTime())}</span>`;
}
