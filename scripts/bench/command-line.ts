/**
 * CPU and time of commands beside a bare Node, in turns: `node .build/scripts/bench/command-line.js [--rounds 9]`.
 * Those with a database meet an embedded one that a server runs and, with DATABASE_URL, a database on that server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '#src/base/package-root.js';
import { keepResults, rounded, takeTurns, type Figures } from './harness.js';
import { runCommand, startServiceProcess } from './service-process.js';
import { throwawayDatabase } from './throwaway-database.js';

const options = new Command('command-line')
  .option('--rounds <n>', 'calls of each command', '9')
  .parse()
  .opts<{ rounds: string }>();
const command = join(packageRoot(), 'dist', 'cli.js');
/** Tells the CPU that it took, the start of Node included, when it ends. */
const TELLS_CPU = `data:text/javascript,${encodeURIComponent(
  "process.on('exit',()=>{const{user,system}=process.cpuUsage();process.send((user+system)/1000)})",
)}`;

async function call(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<Figures> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', TELLS_CPU, ...argv], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let cpu = 0;
  child.once('message', (ms) => (cpu = Number(ms)));
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
  return { cpu_ms: cpu, ms: performance.now() - startedAt };
}

const WITHOUT_DATABASE = ['--version', '--help', 'config', 'project --help', 'redirects --help'];
const WITH_DATABASE = [
  'project list',
  'project show --project bench',
  'key create --project bench --mode live',
  'redirects list --project bench',
  'redirects add --project bench --from /old --to /new',
];

const folder = await mkdtemp(join(tmpdir(), 'pathmend-commands-'));
const embedded: NodeJS.ProcessEnv = { DATABASE_URL: '', DATA_DIR: join(folder, 'data') };
const service = await startServiceProcess('all', { ...process.env, ...embedded });
const server = process.env['DATABASE_URL'];
const database = server === undefined || server === '' ? undefined : await throwawayDatabase(server);
try {
  const contenders: Record<string, () => Promise<Figures>> = { 'bare node': () => call(['--eval', '0'], {}) };
  const add = (words: string, where: string, environment: NodeJS.ProcessEnv): void => {
    contenders[`${words}${where}`] = () => call([command, ...words.split(' ')], environment);
  };
  for (const words of WITHOUT_DATABASE) add(words, '', embedded);
  const places = { ', embedded': embedded, ...(database && { ', server': { DATABASE_URL: database.url } }) };
  for (const [where, environment] of Object.entries(places)) {
    await runCommand(['project', 'create', '--name', 'bench'], { ...process.env, ...environment });
    for (const words of WITH_DATABASE) add(words, where, environment);
  }
  const medians = await takeTurns(contenders, Number(options.rounds));
  const calls = Object.entries(medians).map(([name, figures]) => [
    name,
    Object.fromEntries(Object.entries(figures).map(([figure, value]) => [figure, rounded(value)])),
  ]);
  await keepResults('command-line', { rounds: Number(options.rounds), calls: Object.fromEntries(calls) as object });
} finally {
  await service.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
}
