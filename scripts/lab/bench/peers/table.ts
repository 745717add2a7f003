/** What was measured of one contender, by name. */
export type PeerFigures = Record<string, number | string>;

const COLUMNS = [
  'path_per_second',
  'path_p50_ms',
  'path_p95_ms',
  'query_per_second',
  'query_p50_ms',
  'query_p95_ms',
  'rss_mb',
  'build_s',
  'recall3_redirects',
  'recall3_typos',
  'recall3_queries',
];

/** One line per contender, for a person. */
export function printTable(figures: Readonly<Record<string, PeerFigures>>): string {
  const rows = [
    ['', ...COLUMNS],
    ...Object.entries(figures).map(([name, own]) => [name, ...COLUMNS.map((column) => String(own[column] ?? ''))]),
  ];
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n');
}
