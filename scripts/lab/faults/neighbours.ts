/**
 * What one caller, or the database, does to the others: `DATABASE_URL=… node .build/scripts/lab/faults/neighbours.js
 * [--seconds 15] [--attack NAME]`. One more client searches ten times a second in a project of its own, alone and
 * then beside each attack. It fails where what is served takes more than three times as long as alone (p95), where a
 * request is answered otherwise than 2xx, 429 or 503, or where the attack left something behind that it should not.
 *
 * The login must be a superuser's: the service runs as a role of its own, whose connections are limited.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { runStatements } from '#src/platform/database/schema/repeatables.js';
import { writeManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { ask } from '../../faults/ask.js';
import { startProbe } from './overload/probe.js';

const options = new Command('neighbours')
  .option('--seconds <n>', 'of each attack', '15')
  .option('--attack <name>', 'only this one')
  .parse()
  .opts<{ seconds: string; attack?: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '') throw new OperatorError('Set DATABASE_URL: a superuser on a server.');

const MAX_RATIO = 3;
const CALLERS = 8;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const database = await throwawayDatabase(server);
const admin = new pg.Client({ connectionString: database.url });
await admin.connect();
const id = randomUUID().slice(0, 8);
const [owner, api, password] = [`pathmend_owner_${id}`, `pathmend_api_${id}`, randomUUID()];
const values: Record<string, string> = { owner, api, owner_password: password, api_password: password };
const roles = await readFile(join(sqlFolder(), 'roles.sql'), 'utf8');
await runStatements(
  admin,
  roles.replace(/:(['"])(\w+)\1/g, (_, quote: string, name: string) => `${quote}${values[name] ?? ''}${quote}`),
);
const url = Object.assign(new URL(database.url), { username: owner, password });
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: url.href };
await runCommand(['migrate'], environment);
const worker = await startServiceProcess('worker', environment);
const [others, attacker] = [
  await createUnlimitedProject('others', environment),
  await createUnlimitedProject('attacker', environment),
];
const { file, paths, remove } = await writeManyPages(200, 400);
await runCommand(['pages', 'import', '--project', 'others', '--wait', file], environment);
await remove();
const service = await startServiceProcess('api', environment);
const probe = startProbe(service.url, others, paths);
const count = async (text: string): Promise<number> =>
  (await admin.query<{ n: number }>(`select (${text})::int as n`)).rows[0]?.n ?? 0;

/** Waits for the worker. */
async function recorded(): Promise<void> {
  const waiting = `select count(*) from pgboss.job_common where name = 'record-events' and state <= 'active'`;
  for (let i = 0; i < 60 && (await count(waiting)) > 0; i++) await pause(500);
}

/** What the attacker is answered. */
let answers: number[] = [];

/** Sends events as fast as some callers can. */
async function flood(until: number, event: (i: number) => object): Promise<void> {
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status } = await ask(`${service.url}/v1/events`, '', 'POST', attacker, event(sent++));
      answers.push(status ?? 0);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Each attacks until then, and says what should not be. */
const ATTACKS: Record<string, (until: number) => Promise<string[]>> = {
  /** What a clock leaves behind that is set back by an hour, again and again. */
  clock: async (until) => {
    const hour = `+ interval '1 hour'`;
    while (performance.now() < until) {
      await admin.query(`update pathmend.rate_buckets set updated_at = updated_at ${hour}, others_until = others_until ${hour};
        update pgboss.version set cron_on = cron_on ${hour}; update pgboss.queue set monitor_claim_on = monitor_claim_on ${hour}`);
      await pause(500);
    }
    const page = { url: 'https://attacker.example/a', content: 'A page.' };
    await ask(`${service.url}/v1/pages/upsert`, '', 'POST', attacker, page);
    const { status, ms } = await ask(`${service.url}/v1/pages/delete`, '', 'DELETE', attacker, { url: page.url });
    return status === 200 && ms < 2_000 ? [] : [`DELETE was answered ${status} after ${ms.toFixed(0)} ms`];
  },
  /** Events of days that are over, for which as much would be kept as for today. */
  'past-days': async (until) => {
    await flood(until, (i) => ({
      raw_path: `/past/${i}`,
      user_agent: BROWSER,
      timestamp: new Date(Date.now() - (1 + (i % 390)) * 86_400_000).toISOString(),
    }));
    await recorded();
    const days = await count(`select count(*) from pathmend.history_days where what = 'events'`);
    return days <= 2 ? [] : [`they count for ${days} days`];
  },
  /** Paths that somebody makes up, and one that is really missed among them. */
  'junk-paths': async () => {
    await admin.query(`
      insert into pathmend.missing_paths (project_id, path_hash, path, people, unknown, assistants, search_engines, robots, scanners,
             redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen, last_human)
      select project_id, sha256(convert_to('/before/' || i, 'UTF8')), '/before/' || i, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, now(), now(), now()
        from pathmend.projects, generate_series(1, 100000) as i where name = 'attacker'`);
    await admin.query(`update pathmend.rollups set paths = paths + 100000 where what = 'not_founds'`);
    const until = performance.now() + 1_000 * Number(options.seconds);
    await flood(until, (i) => ({ raw_path: i % 50 === 0 ? '/really-missed' : `/junk/${i}`, user_agent: BROWSER }));
    await recorded();
    const seen = await count(
      `select coalesce(sum(people), 0) from pathmend.missing_paths where path = '/really-missed'`,
    );
    return seen > 0 ? [] : ['the page that is really missed is among the others'];
  },
  /** The role has as many connections as it may, and loses one now and then. */
  connections: async (until) => {
    const held = await count(`select count(*) from pg_stat_activity where usename = '${owner}'`);
    await admin.query(`alter role ${owner} connection limit ${held - 1}`);
    const cut = (async () => {
      while (performance.now() < until) {
        await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
                            where usename = '${owner}' and application_name = 'pathmend' and state = 'idle' limit 1`);
        await pause(2_000);
      }
    })();
    await flood(until, (i) => ({ raw_path: `/limit/${i}`, user_agent: BROWSER }));
    await cut;
    await admin.query(`alter role ${owner} connection limit -1`);
    return [];
  },
};

const p95 = (took: readonly number[]): number => quantile(took, 0.95);
async function measure(work: (until: number) => Promise<string[]>) {
  probe.take();
  answers = [];
  const faults = await work(performance.now() + 1_000 * Number(options.seconds));
  const seen = probe.take();
  const wrong = [...answers, ...seen.map(({ status }) => status)].filter(
    (status) => !(status >= 200 && status < 300) && status !== 429 && status !== 503,
  );
  if (wrong.length > 0) faults.push(`${wrong.length} other answers: ${[...new Set(wrong)].join(', ')}`);
  return { p95: p95(seen.filter(({ status }) => status === 200).map(({ took }) => took)), seen: seen.length, faults };
}

await pause(2_000);
const alone = await measure(async (until) => {
  await pause(until - performance.now());
  return [];
});
let isBroken = false;
for (const [name, attack] of Object.entries(ATTACKS)) {
  if (options.attack !== undefined && options.attack !== name) continue;
  const beside = await measure(attack);
  const ratio = beside.p95 / alone.p95;
  const faults = [...beside.faults, ...(ratio > MAX_RATIO ? [`more than ${MAX_RATIO} times as long`] : [])];
  isBroken ||= faults.length > 0;
  process.stdout.write(
    `${name}: others' p95 ${alone.p95.toFixed(0)} ms alone, ${beside.p95.toFixed(0)} beside (${ratio.toFixed(2)} ×), ` +
      `${beside.seen} searches of theirs, ${answers.length} requests of the attacker${faults.map((one) => `\n  ${one}`).join('')}\n`,
  );
  await pause(3_000);
}
await probe.stop();
await Promise.all([service.stop(), worker.stop()]);
await admin.end();
await database.drop();
const last = new pg.Client({ connectionString: server });
await last.connect();
for (const role of [owner, api]) await last.query(`drop role if exists ${role}`);
await last.end();
process.exit(isBroken ? 1 : 0);
