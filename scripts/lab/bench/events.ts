/**
 * Measures how many events a second are taken and kept, from POST /v1/events until they are stored and in the sums, in
 * comparison with two floors: bare Express that answers 204 to the same requests, and plain inserts of 200 rows each
 * into the same table.
 *
 *   node .build/scripts/lab/bench/events.js [--rounds 3] [--seconds 10] [--connections 64]
 *
 * DATABASE_URL names a server. One process does all roles; the load generator is another. Fails if an acknowledged
 * event is not stored, or not in the sums.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createUnlimitedProject } from '../../service/service-process.js';
import {
  generate,
  jsonHeaders,
  keepResults,
  readOptions,
  startBareExpress,
  takeTurns,
  type Figures,
} from '../harness.js';
import { neededServer, onNewDatabase } from '../processes.js';

const { rounds, seconds, connections } = readOptions({
  rounds: [3, 'rounds of each'],
  seconds: [10, 'seconds of each round'],
  connections: [64, 'requests at once'],
});

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
/** Paths are as frequent as Zipf's law has it; each body has a visitor's address of its own. */
const bodies = Array.from({ length: 2_000 }, (_, i) =>
  JSON.stringify({
    raw_path: `/section-${i % 20}/page-${Math.floor(1_000 ** ((i * 0.618) % 1))}`,
    origin: 'https://www.example.com',
    referrer: `https://www.example.com/page-${i % 50}`,
    user_agent: AGENT,
    user_ip: `198.${18 + Math.floor(i / 250)}.${i % 250}.7`,
  }),
);

const processes = await onNewDatabase(neededServer(), { HISTORY_MB_PER_DAY: '1000000' });
const service = await processes.serve('all');
const headers = jsonHeaders(await createUnlimitedProject('bench', processes.environment));
const client = new pg.Client({ connectionString: processes.databaseUrl });
await client.connect();
const bare = await startBareExpress((request, response) => {
  request.resume();
  response.status(204).end();
});

async function countStored(): Promise<{ stored: number; summed: number }> {
  const { rows } = await client.query<{ stored: number; summed: number }>(
    `select (select count(*)::int from pathmend.not_founds where referrer is not null) as stored,
            (select coalesce(sum(hits), 0)::int from pathmend.not_found_days) as summed`,
  );
  return rows[0] ?? { stored: 0, summed: 0 };
}

/** Milliseconds of processor time: of the service, and of the database's sessions (0 unless on this machine). */
async function processorTime(): Promise<{ service: number; database: number }> {
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  );
  const sessions = await Promise.all(rows.map(({ pid }) => ofProcess(pid).catch(() => 0)));
  return {
    service: await ofProcess(service.pid),
    database: sessions.reduce((sum, milliseconds) => sum + milliseconds, 0),
  };
}

async function ofProcess(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  // The fields are in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measureEvents(): Promise<Figures> {
  const before = await countStored();
  const cpuBefore = await processorTime();
  const began = performance.now();
  const load = await generate({ url: `${service.url}/v1/events`, headers, bodies, connections, seconds });
  const taken = load.requests - load.failed;
  let now = await countStored();
  while (now.stored - before.stored < taken || now.summed - before.summed < taken) {
    if (performance.now() - began > 10 * seconds * 1_000)
      throw new Error(`of ${taken} events ${now.stored - before.stored} are stored`);
    await pause(20);
    now = await countStored();
  }
  const took = (performance.now() - began) / 1_000;
  const cpu = await processorTime();
  return {
    acknowledged_per_second: (load.perSecond * taken) / load.requests,
    stored_per_second: taken / took,
    refused: load.failed,
    p50_ms: load.p50,
    p99_ms: load.p99,
    service_cpu_ms_each: (cpu.service - cpuBefore.service) / taken,
    database_cpu_ms_each: (cpu.database - cpuBefore.database) / taken,
  };
}

async function measureExpress(): Promise<Figures> {
  const { perSecond, p50, p99 } = await generate({ url: bare.url, headers, bodies, connections, seconds });
  return { acknowledged_per_second: perSecond, p50_ms: p50, p99_ms: p99 };
}

/** The rows alone, in one session: no queue, no sums, nothing looked up. */
async function measureInserts(): Promise<Figures> {
  const rows = JSON.stringify(bodies.slice(0, 200).map((body) => JSON.parse(body) as object));
  const began = performance.now();
  let stored = 0;
  while (performance.now() - began < seconds * 1_000) {
    await client.query(
      `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, origin, user_agent, visitor_ip, is_test)
       select $1, gen_random_uuid(), now(), raw_path, origin, user_agent, user_ip, false
         from jsonb_to_recordset($2::jsonb) as i (raw_path text, origin text, user_agent text, user_ip inet)`,
      ['00000000-0000-4000-8000-000000000001', rows],
    );
    stored += 200;
  }
  return { stored_per_second: stored / ((performance.now() - began) / 1_000) };
}

try {
  const figures = await takeTurns({ express: measureExpress, inserts: measureInserts, events: measureEvents }, rounds);
  const [events, express, inserts] = [figures['events'] ?? {}, figures['express'] ?? {}, figures['inserts'] ?? {}];
  await keepResults('events', {
    what: 'events by HTTP until stored and in the sums, none lost; medians of rounds that alternate',
    connections,
    rounds,
    seconds,
    ...figures,
    of_express: (events['stored_per_second'] ?? 0) / (express['acknowledged_per_second'] ?? 1),
    of_inserts: (events['stored_per_second'] ?? 0) / (inserts['stored_per_second'] ?? 1),
  });
} finally {
  bare.stop();
  await client.end();
  await processes.stop();
}
process.exit();
