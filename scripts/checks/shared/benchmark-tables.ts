import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The results in docs/evidence/benchmarks/*.json as Markdown, by block name: `benchmark admission-server` and so on.
 * Where the values of an object are objects of figures, they are the rows of a table; what stands beside them comes
 * before it.
 */
export function benchmarkTables(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort();
  return Object.fromEntries(
    files.map((file) => {
      const { machine, ...results } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>;
      return [
        `benchmark ${file.slice(0, -'.json'.length)}`,
        [machineLine(machine), ...render(results, '')].join('\n\n'),
      ];
    }),
  );
}

type Figures = Record<string, number | string>;

function isFigure(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function machineLine(machine: unknown): string {
  if (!isObject(machine)) return '';
  return `${String(machine['cpu'])}, ${String(machine['cores'])} cores, ${String(machine['memory_gib'])} GiB, Node ${String(machine['node'])}.`;
}

function render(value: Record<string, unknown>, title: string): string[] {
  const parts: string[] = title === '' ? [] : [`**${title}**`];
  const figures = Object.entries(value).filter(([, one]) => isFigure(one));
  if (figures.length > 0) parts.push(figures.map(([name, one]) => `${words(name)} ${String(one)}`).join(', '));
  const rows: [string, Figures][] = [];
  const deeper: [string, Record<string, unknown>][] = [];
  for (const [name, one] of Object.entries(value)) {
    if (!isObject(one) || Object.keys(one).length === 0) continue;
    if (Object.values(one).every(isFigure)) rows.push([name, one as Figures]);
    else deeper.push([name, one]);
  }
  if (rows.length > 0) parts.push(table(rows));
  for (const [name, one] of deeper) parts.push(...render(one, title === '' ? words(name) : `${title}, ${words(name)}`));
  return parts;
}

function table(rows: readonly [string, Figures][]): string {
  const columns = [...new Set(rows.flatMap(([, figures]) => Object.keys(figures)))];
  return [
    `| | ${columns.map(words).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...rows.map(
      ([name, figures]) => `| ${words(name)} | ${columns.map((column) => String(figures[column] ?? '')).join(' | ')} |`,
    ),
  ].join('\n');
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
