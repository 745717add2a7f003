/**
 * Measures what one customer can do to the others: `node .build/scripts/lab/faults/attacks.js [--seconds 20] [--only
 * nesting]`; on the server of DATABASE_URL, else embedded. A service of its own is attacked in each way in turn, while
 * a client of another project searches ten times a second, and now and then pushes a page. The 95th percentile of its
 * searches during an attack may be three times that of before. An editor imports nested text (nesting), or half a
 * megabyte of quotes (import), and exports 99,000 redirects (export); 1,500 connections come with a key each or the
 * same one in other words (lines); one caller retrieves a hundred pages of a megabyte (retrieve); four pages are one
 * word of a megabyte (words); eight callers send events of made-up paths, on days that are over (events). Thirty
 * patterns lead into each other, and are tried (chains); a thousand long rules of one request are refused at the last
 * (refused); 990 wildcards are stored, and rules are tried (tries), and the same in twenty spellings each (spellings);
 * sixteen searches at once ask for a path that 992 patterns match (matches). An editor sends twenty files slowly, and
 * the console's pages are timed (uploads); four sites want a minute between two requests, and previews and syncs of
 * another are timed (sites).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { formTokenOf } from '#src/console/shared/session.js';
import { memoryOf } from '../../service/child.js';
import { quantile } from '../../service/many-pages.js';
import { createUnlimitedProject, runCommand } from '../../service/service-process.js';
import { freePort } from '../../service/throwaway-database.js';
import { jsonHeaders, readOptions } from '../harness.js';
import { onNewDatabase } from '../processes.js';
import { postForm, readSite, showPage, startSite, type Person } from './attacks/victims.js';
import { startProbe, type Probed } from './probe.js';

const WITH_RULES = ['chains', 'refused', 'tries', 'spellings', 'matches'] as const;
const NAMES = [
  'nesting',
  'import',
  'export',
  'lines',
  'retrieve',
  'words',
  'events',
  'uploads',
  'sites',
  ...WITH_RULES,
] as const;
export type AttackName = (typeof NAMES)[number];

/** The address that an attack goes to, and the secrets that it uses. */
export interface Attacked {
  url: string;
  consoleUrl: string;
  /** The secret in the console's cookie. */
  session: string;
  projectId: string;
  key: string;
  /** Projects whose sites are slow. */
  slow: string[];
}

const options = readOptions({
  seconds: [20, 'of each attack'],
  only: [NAMES.join(','), 'some of these'],
  redirects: [99000, 'of the export'],
  large: [100, 'pages of a megabyte'],
});
const wanted = NAMES.filter((name) => options.only.split(',').includes(name));
const PASSWORD = 'four words and a half';

const folder = await mkdtemp(join(tmpdir(), 'pathmend-attacks-'));
const port = await freePort();
const consoleUrl = `http://localhost:${port}/console`;
const processes = await onNewDatabase(process.env['DATABASE_URL'], {
  DATA_DIR: join(folder, 'data'),
  CONSOLE_PORT: String(port),
  CONSOLE_URL: consoleUrl,
  WEBHOOK_NETWORKS: '127.0.0.0/8',
});
const { environment } = processes;
const service = await processes.serve('all', 'ignore');
const { url } = service;
const { key: honest, paths } = await processes.fill('honest', 500, 400);
const key = await createUnlimitedProject('attacker', environment);
const { id: projectId } = (await runCommand(['project', 'show', '--project', 'attacker'], environment)) as {
  id: string;
};

/** Accepts an invitation as a browser does. Returns the session's secret. */
async function logIn(email: string, role: string, ...projects: string[]): Promise<string> {
  const invite = ['user', 'invite', '--email', email, '--role', role, ...projects];
  const { url: invitation } = (await runCommand(invite, environment)) as { url: string };
  const secretOf = (answer: Response): string =>
    /__Host-pathmend=([^;]+)/.exec(answer.headers.getSetCookie().join('\n'))?.[1] ?? '';
  const before = secretOf(await fetch(invitation));
  const accepted = await fetch(`${invitation}/accept`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: `__Host-pathmend=${before}`,
      Origin: new URL(consoleUrl).origin,
      'Sec-Fetch-Site': 'same-origin',
    },
    body: new URLSearchParams({ form_token: formTokenOf(before), password: PASSWORD, again: PASSWORD }),
  });
  return secretOf(accepted);
}

const push = (as: string, page: { url: string; content: string }): Promise<{ page_id: string }> =>
  fetch(`${url}/v1/pages/upsert`, { method: 'POST', headers: jsonHeaders(as), body: JSON.stringify(page) }).then(
    (answer) => answer.json() as Promise<{ page_id: string }>,
  );

/** Milliseconds until a new page of the honest project is found by its content; half a minute at most. */
async function indexOne(): Promise<number> {
  const startedAt = performance.now();
  const since = (): number => performance.now() - startedAt;
  const address = `https://honest.example/new/${startedAt}`;
  const { page_id: id } = await push(honest, { url: address, content: 'Parcels arrive on Monday.' });
  while (since() < 30_000) {
    const answer = await fetch(`${url}/v1/pages/${id}`, { headers: jsonHeaders(honest) });
    if (((await answer.json()) as { status?: string }).status === 'INDEXED') break;
    await pause(20);
  }
  return since();
}

const many = <Item>(length: number, item: (n: number) => Item): Item[] => Array.from({ length }, (_, n) => item(n));

async function importLines(project: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await writeFile(join(folder, 'redirects.txt'), lines.join('\n'));
  await runCommand(['redirects', 'import', '--project', project, join(folder, 'redirects.txt')], environment);
}

const chained = (n: number): string => `${'a-'.repeat(n + 1)}:x`;
const spelled = (n: number): string =>
  [...'sectionname'].map((letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join('');

/** The redirects of an attack's project. */
const RULES: Record<(typeof WITH_RULES)[number], () => string[]> = {
  chains: () => many(30, (n) => `/${chained(n)} /${'a-'.repeat(30 * (n + 1))}-:x`),
  refused: () => [],
  tries: () => many(990, (n) => `/section-${n}/* /new-${n}/:splat`),
  spellings: () => many(990, (n) => many(20, (way) => `/${spelled(way)}-${n}/* /new-${n}/:splat`)).flat(),
  matches: () => many(992, (n) => `/${'a'.repeat((n % 31) + 1)}*${'b'.repeat(n / 31 + 1)} /nowhere-${n}/:splat`),
};
const keys = new Map<AttackName, string>();

/** Stores the redirects and pages that attacks need before they begin. */
async function prepare(): Promise<void> {
  if (wanted.includes('export'))
    await importLines(
      'attacker',
      many(options.redirects, (n) => `/old/${n * 7}/page-${n}.html /new/${n}`),
    );
  for (const name of WITH_RULES.filter((rules) => wanted.includes(rules))) {
    keys.set(name, await createUnlimitedProject(name, environment));
    await importLines(name, RULES[name]());
  }
  for (let n = 0; wanted.includes('retrieve') && n < options.large; n++)
    await push(key, { url: `https://attack.example/${n}`, content: `Page ${n}, archive.${' '.repeat(999_000)}.` });
}

const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
const tookOf = (seen: readonly Probed[]): number[] => seen.map(({ took }) => took);
const probe = startProbe(url, honest, paths);

async function watch(name: AttackName): Promise<{ seen: Probed[]; indexed: number[]; timed: number[] }> {
  probe.take();
  const indexed: number[] = [];
  const timed: number[] = [];
  const until = performance.now() + 1_000 * options.seconds;
  while (performance.now() < until) {
    indexed.push(await indexOne());
    timed.push(...((await TIMED[name]?.().then((took) => [took])) ?? []));
    await pause(1_000);
  }
  return { seen: probe.take(), indexed, timed };
}

const idOf = async (name: string): Promise<string> =>
  ((await runCommand(['project', 'show', '--project', name], environment)) as { id: string }).id;
const slow: string[] = [];
for (let n = 0; n < 4 && wanted.includes('sites'); n++) {
  await createUnlimitedProject(`slow-${n}`, environment);
  slow.push(await idOf(`slow-${n}`));
}
const session = await logIn('a@attack.example', 'editor', '--project', 'attacker');
const attacked: Attacked = { url, consoleUrl, session, projectId, key, slow };
const person: Person = {
  consoleUrl,
  session: await logIn('b@honest.example', 'admin'),
  projectId: await idOf('honest'),
};
await postForm(person, `/p/${person.projectId}/connect/source`, { source: await startSite(3, 0) });
/** These are timed during their attack, in addition to the searches. */
const TIMED: Partial<Record<AttackName, () => Promise<number>>> = {
  uploads: () => showPage(person),
  sites: async () => Math.max(await readSite(person, 'look'), await readSite(person, 'sync')),
};
await prepare();
await pause(5_000);
const faults: string[] = [];
for (const name of wanted) {
  const alone = await watch(name);
  const attacker = new Worker(new URL('./attacks/attacker.js', import.meta.url), {
    workerData: { ...attacked, key: keys.get(name) ?? key, name, admin: person.session },
  });
  if (TIMED[name]) await pause(5_000);
  const beside = await watch(name);
  const answers = await new Promise((resolve) => {
    attacker.once('message', resolve);
    attacker.postMessage('answers');
  });
  await attacker.terminate();
  const [before, during] = [alone, beside].map(({ seen }) => quantile(tookOf(seen), 0.95)) as [number, number];
  const indexedAfter = ({ indexed }: typeof alone): string => ms(quantile(indexed, 0.5));
  const unserved = beside.seen.filter(({ status }) => status !== 200).length;
  const ratio = during / before;
  const memory = await memoryOf(service.pid);
  const [free, attackedBy] = [alone, beside].map(({ timed }) => (timed.length > 0 ? quantile(timed, 0.95) : 1));
  const timedRatio = (attackedBy ?? 1) / (free ?? 1);
  if (ratio > 3 || timedRatio > 3 || unserved > 0) faults.push(name);
  if (TIMED[name])
    process.stdout.write(
      `${name}: timed p95 ${ms(free ?? 0)} ms alone, ${ms(attackedBy ?? 0)} beside, ratio ${timedRatio.toFixed(2)}\n`,
    );
  process.stdout.write(
    `${name}: searches of another p95 ${ms(before)} ms alone, ${ms(during)} beside, ratio ${ratio.toFixed(2)}; ` +
      `${unserved} of ${beside.seen.length} not served; a page indexed after ${indexedAfter(alone)} ms alone, ` +
      `${indexedAfter(beside)} beside; the attacker got ${JSON.stringify(answers)}; ` +
      `memory ${ms(memory.rss_mb)} MB, at most ${ms(memory.peak_rss_mb)}\n`,
  );
  await pause(3_000);
}
await probe.stop();
const alive = await fetch(`${url}/healthz`).then(
  ({ ok }) => ok,
  () => false,
);
if (!alive) faults.push('the service is gone');
await processes.stop();
await rm(folder, { recursive: true, force: true });
process.stdout.write(`attacks: ${faults.length} faults${faults.map((fault) => `\n  ${fault}`).join('')}\n`);
process.exit(faults.length > 0 ? 1 : 0);
