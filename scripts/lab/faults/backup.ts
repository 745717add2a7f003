/**
 * A server's database is dumped while it serves and restored into a new one, as docs/operations.md says, and must
 * answer as before: `DATABASE_URL=… node .build/scripts/lab/faults/backup.js [--in COMMAND]`, where COMMAND is what
 * `pg_dump` and `pg_restore` of the server's version are run by (`docker exec -i db`, `chroot DIR`), if not from PATH.
 */
import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { columnsOf, contentsOf } from '../../../test/support/table-contents.js';
import { createUnlimitedProject, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { describeSchema } from '../../schema/describe-schema.js';
import { answersOf, fillSite, until } from '../../faults/backup/site.js';

const options = new Command('backup')
  .option('--in <command>', 'runs pg_dump and pg_restore')
  .parse()
  .opts<{ in?: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '') throw new OperatorError('Set DATABASE_URL.');

const faults: string[] = [];
const tool = (name: string, argv: readonly string[], input?: Buffer): Buffer => {
  const [file = '', ...rest] = [...(options.in ?? '').split(' ').filter((part) => part !== ''), name, ...argv];
  const { status, stdout, stderr, error } = spawnSync(file, rest, { input, maxBuffer: 1 << 30 });
  if (status !== 0) faults.push(`${name} ended with ${String(status ?? error)}: ${stderr.toString().slice(0, 500)}`);
  return stdout;
};
// A small project gets indexes of its own, too.
const settings = (url: string): NodeJS.ProcessEnv => ({ ...process.env, DATABASE_URL: url, OWN_INDEX_PASSAGES: '5' });

interface State {
  answers: string[];
  contents: Record<string, string>;
  schema: string[];
  ownIndexes: number;
}

/** What stands in the tables is looked at while nobody works; what is answered, after that. */
async function stateOf(url: string, key: string): Promise<State> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const contents = await contentsOf(client, await columnsOf(client, ['pathmend', 'pgboss']));
  const schema = (await describeSchema(client))
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .sort();
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_indexes where schemaname = 'pathmend_segments'`,
  );
  await client.end();
  const service = await startServiceProcess('api', settings(url));
  const answers = await answersOf(service.url, key);
  await service.stop();
  return { answers, contents, schema, ownIndexes: rows[0]?.n ?? 0 };
}

const startedAt = performance.now();
const original = await throwawayDatabase(server);
const restored = await throwawayDatabase(server);
const pool = new pg.Pool({ connectionString: original.url, max: 1 });
const key = await createUnlimitedProject('backup', settings(original.url));
const service = await startServiceProcess('all', settings(original.url));
await fillSite(service.url, key, pool);
await until(pool, 'select count(*) > 0 as done from pathmend.own_indexes');
const hot = tool('pg_dump', ['--format=custom', original.url]);
await service.stop();
const cold = tool('pg_dump', ['--format=custom', original.url]);
const before = await stateOf(original.url, key);

tool('pg_restore', ['--dbname', restored.url, '--exit-on-error'], cold);
const after = await stateOf(restored.url, key);
const differ = before.answers.filter((answer, at) => answer !== after.answers[at]);
if (differ.length > 0) faults.push(`${differ.length} answers differ, the first: ${differ[0] ?? ''}`);
for (const [table, contents] of Object.entries(before.contents)) {
  if (after.contents[table] !== contents)
    faults.push(`${table}: ${contents} before, ${after.contents[table] ?? 'nothing'} after`);
}
if (after.schema.join('\n') !== before.schema.join('\n')) faults.push('the schema differs');
if (before.ownIndexes === 0 || after.ownIndexes !== before.ownIndexes)
  faults.push(`${before.ownIndexes} indexes of its own before, ${after.ownIndexes} after`);

// What was dumped under a working service starts, too, and comes to rest.
const second = await throwawayDatabase(server);
tool('pg_restore', ['--dbname', second.url, '--exit-on-error'], hot);
const working = await startServiceProcess('all', settings(second.url));
const found = (await answersOf(working.url, key)).filter((answer, at) => answer !== before.answers[at]);
if (found.length > 0)
  faults.push(`of what was dumped hot, ${found.length} answers differ, the first: ${found[0] ?? ''}`);
await working.stop();

for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `backup: dumped hot and cold (${Math.round(cold.length / 1000)} kB), restored and compared in ${Math.round((performance.now() - startedAt) / 1000)} s: ` +
    `${before.answers.length} answers, ${Object.keys(before.contents).length} tables, ${before.ownIndexes} indexes of its own; ${faults.length} faults\n`,
);
await pool.end();
for (const one of [original, restored, second]) await one.drop();
process.exit(faults.length > 0 ? 1 : 0);
