/**
 * Compares the row types that statements declare with PostgreSQL's description of their columns.
 *
 *   TEST_STATEMENTS=FILE npm test …                     records what the tests run
 *   node .build/scripts/lab/statements.js FILE          says what differs, and which statements no test ran
 *
 * Kysely's builder needs no such check: its types are made from the schema. A text of `sql` is what somebody declared.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import type { RecordedStatement } from '../../test/support/record-statements.js';
import { declaredStatements, isPartOf, isTextOf, type DeclaredStatement } from './statements/declared-statements.js';

/** Pg reads types, by their oids, as these; others, those of extensions among them, as text. */
const READ_AS: Readonly<Record<number, string>> = {
  16: 'boolean',
  17: 'Buffer',
  21: 'number',
  23: 'number',
  26: 'number',
  114: 'json',
  700: 'number',
  701: 'number',
  1005: 'list',
  1007: 'list',
  1009: 'list',
  1021: 'list',
  1022: 'list',
  1016: 'list',
  1000: 'list',
  1001: 'list',
  1082: 'Date',
  1184: 'Date',
  1185: 'list',
  2951: 'list',
  3802: 'json',
};

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('statements takes the file that TEST_STATEMENTS named');
  process.exit(2);
}
const recorded = new Map(
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedStatement)
    .map((statement) => [statement.text, statement]),
);
const declared = declaredStatements();
const ran = new Set<DeclaredStatement>();
const faults = new Set<string>();
for (const { text, columns } of recorded.values()) {
  const [statement] = declared.filter((each) => isTextOf(each, text)).sort((a, b) => b.length - a.length);
  if (statement === undefined) continue;
  ran.add(statement);
  const types = new Map(columns.map(({ name, type }) => [name, READ_AS[type] ?? 'string']));
  for (const [name, kinds] of statement.columns) {
    const type = types.get(name);
    if (type === undefined) faults.add(`${statement.place}: PostgreSQL answers without the column ${name}`);
    else if (!kinds.has(type) && !kinds.has('any') && !(type === 'json' && kinds.has('list')))
      faults.add(`${statement.place}: ${name} is declared as ${[...kinds].join(' | ')}, and read as ${type}`);
  }
}
// Where another statement contains it, the columns are those of the whole.
const texts = [...recorded.keys()];
for (const statement of declared)
  if (!ran.has(statement) && !texts.some((text) => isPartOf(statement, text)))
    faults.add(`${statement.place}: no test ran it`);
for (const fault of [...faults].sort()) console.error(relative(packageRoot(), fault));
console.log(`${declared.length} statements, ${ran.size} of them run; ${recorded.size} texts`);
process.exitCode = faults.size > 0 ? 1 : 0;
