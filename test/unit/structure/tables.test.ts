import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';

const root = packageRoot();
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

/**
 * The tables that a file writes although another slice owns them. Each write shall become a function of the slice that
 * owns the table.
 */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // This file links searches and 404s, and updates their sums.
  'analytics/store/rollups.ts': ['not_founds', 'searches'],
};

/** Files outside a `store/` whose statements write: three of `projects`, and those with the platform's own tables. */
const OUTSIDE_STORES = [
  'platform/database/schema/migrate.ts',
  'platform/database/schema/repeatables.ts',
  'projects/index-version.ts',
  'projects/project-model.ts',
  'projects/turns.ts',
];

/** Files with statements whose table is an argument, and the tables of other slices among them. */
const BY_ARGUMENT: Readonly<Record<string, string>> = {
  'analytics/store/rollups.ts': 'none: its own, of a project that is deleted',
  'events/store/erase-events.ts': 'none: the weekly partitions of its own',
  'pages/store/segment-tables.ts': 'none: the tables of segments',
};

const VERBS = String.raw`\b(?:insert into|update(?: only)?|delete from|truncate(?: table)?|merge into)\s+`;
/** The same verbs as methods of Kysely's builder. */
const BUILDER = String.raw`\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(`;
const WRITE = new RegExp(String.raw`(?:${VERBS}|${BUILDER}')pathmend\.(\w+)`, 'gi');

function tablesWritten(text: string): string[] {
  return [...new Set([...text.matchAll(WRITE)].map(([, table]) => table ?? ''))];
}

/** The SQL functions that a text calls, and other names that look like calls. */
function functionsCalled(text: string): string[] {
  return [...text.matchAll(/pathmend\.(\w+)\(/g)].map(([, name = '']) => name);
}

/** The tables that each SQL function writes, by its name, and those of the functions that it calls. */
function functions(): Map<string, string[]> {
  const texts = new Map<string, string>();
  for (const file of readdirSync(join(root, 'db/functions'))) {
    const text = read('db/functions', file).replace(/--.*$/gm, '');
    for (const definition of text.split(/create or replace function pathmend\./i).slice(1))
      texts.set(/^\w+/.exec(definition)?.[0] ?? '', definition);
  }
  const tablesOf = (name: string, callers: readonly string[]): string[] => {
    const text = texts.get(name);
    if (text === undefined || callers.includes(name)) return [];
    return [...tablesWritten(text), ...functionsCalled(text).flatMap((other) => tablesOf(other, [...callers, name]))];
  };
  return new Map([...texts.keys()].map((name) => [name, tablesOf(name, [])]));
}

/** The slices that own each table, from the READMEs of the slices. */
function owners(): Map<string, string[]> {
  const slicesByTable = new Map<string, string[]>();
  for (const slice of readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const line = /^Tables: (.*)$/m.exec(read('src', slice.name, 'README.md'))?.[1] ?? '';
    for (const [, table = ''] of line.matchAll(/`(\w+)`/g))
      slicesByTable.set(table, [...(slicesByTable.get(table) ?? []), slice.name]);
  }
  return slicesByTable;
}

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort();

describe('the tables', () => {
  it('belong to one slice each, which its README says', () => {
    const tables = [...read('db/schema.sql').matchAll(/^create (?:unlogged )?table pathmend\.(\w+)/gim)].map(
      ([, name = '']) => name,
    );
    expect(tables).to.have.length.above(40);
    const owned = owners();
    expect(tables.filter((table) => owned.get(table)?.length !== 1)).to.deep.equal([]);
    expect([...owned.keys()].filter((table) => !tables.includes(table))).to.deep.equal([]);
  });

  it('are written by the store of their slice, and by what is named here', () => {
    const owned = owners();
    const byFunction = functions();
    const strangers: Record<string, string[]> = {};
    const outside: string[] = [];
    for (const file of files) {
      const text = read('src', file);
      const called = functionsCalled(text).flatMap((name) => byFunction.get(name) ?? []);
      const ownTables = tablesWritten(text);
      const written = [...new Set([...ownTables, ...called])].sort();
      const slice = file.split('/')[0] ?? '';
      const strange = written.filter((table) => !owned.get(table)?.includes(slice));
      if (strange.length > 0) strangers[file] = strange;
      if (ownTables.length > 0 && !file.includes('/store/')) outside.push(file);
    }
    expect(strangers).to.deep.equal(EXCEPTIONS);
    expect(outside).to.deep.equal(OUTSIDE_STORES);
  });

  it('are named in the statement, but where a file is named here', () => {
    const byArgument = new RegExp(String.raw`${VERBS}\$\{|${BUILDER}(?!\s*')`, 'i');
    expect(files.filter((file) => byArgument.test(read('src', file)))).to.deep.equal(Object.keys(BY_ARGUMENT));
  });
});
