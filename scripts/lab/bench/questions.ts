/**
 * Measures each of the forty questions of docs/reference/analytics.md as an analyst of one project, over a month with
 * 100,000 and with a million 404s, nine searches for ten of them, and a click for ten:
 *
 *   node .build/scripts/lab/bench/questions.js [--sizes 100000,1000000] [--rounds 3] [--pages 2000]
 *
 * DATABASE_URL names a server on this machine, whose processor time is read; it has no parallel workers here. Rows
 * are made in the database, and their sums by what rebuilds them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { median } from '#src/watch/detect.js';
import { keepResults, readOptions, tell, type Figures } from '../harness.js';
import { neededServer, onNewDatabase } from '../processes.js';
import { fillMonth, processorTime } from './fill-month.js';

const { sizes, rounds, pages } = readOptions({
  sizes: ['100000,1000000', 'numbers of 404s'],
  rounds: [3, 'rounds of each question'],
  pages: [2_000, 'pages of the project'],
});

interface Question {
  title: string;
  statement: string;
}

async function readQuestions(url: string): Promise<Question[]> {
  const document = await readFile(join(packageRoot(), 'docs', 'reference', 'analytics.md'), 'utf8');
  return [...document.matchAll(/^### (\d+\. .*)\n\n```sql\n([^`]+)```/gm)].map(([, title = '', statement = '']) => ({
    title,
    statement: statement.replace(/'https:[^']*'/, `'${url}'`),
  }));
}

/** Milliseconds of each question, medians of the rounds, over so many 404s in a new database. */
async function measure(size: number): Promise<Record<string, Figures>> {
  const processes = await onNewDatabase(neededServer(), { EMBEDDING_MODEL: 'static' });
  const client = new pg.Client({ connectionString: processes.databaseUrl });
  try {
    await client.connect();
    const { url } = await fillMonth(processes, client, { pages, notFounds: size, searchedOf10: 9 });
    const { rows: sessions } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = sessions[0] ?? { pid: 0 };
    await client.query('reset work_mem; set max_parallel_workers_per_gather = 0; set role pathmend_analyst');
    const times: Record<string, Figures> = {};
    for (const { title, statement } of await readQuestions(url)) {
      const [ms, cpu]: [number[], number[]] = [[], []];
      for (let round = 0; round <= rounds; round++) {
        const [began, before] = [performance.now(), await processorTime(pid)];
        await client.query(statement);
        // The first round reads from the disk what the others find in memory.
        if (round > 0) ms.push(performance.now() - began);
        if (round > 0) cpu.push((await processorTime(pid)) - before);
      }
      times[title] = { [`ms_${size}`]: median(ms), [`cpu_ms_${size}`]: median(cpu) };
      tell(`${Math.round(median(ms))} ms, of the processor ${Math.round(median(cpu))}: ${title}`);
    }
    return times;
  } finally {
    await client.end();
    await processes.stop();
  }
}

const measured: Record<string, Figures> = {};
for (const size of sizes.split(',').map(Number))
  for (const [title, figures] of Object.entries(await measure(size)))
    measured[title] = { ...measured[title], ...figures };
await keepResults('questions-server', {
  what: 'each question of analytics.md, by the number of 404s in its month; medians',
  pages,
  rounds,
  questions: measured,
});
process.exit();
