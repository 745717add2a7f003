/**
 * How long `pages sync` takes: `node .build/scripts/bench/sync.js [--pages 10000] [--name sync]`; DATABASE_URL names a
 * server, else embedded. The command runs as an operator runs it, beside a server that indexes: a file of JSON lines,
 * and a folder of Markdown; new, then unchanged. `stored_s`: the command alone; `indexed_s`: to the last page indexed.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { keepResults, rounded, type Figures } from './harness.js';
import { writeManyPages } from './index-many-pages.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from './service-process.js';
import { throwawayDatabase } from './throwaway-database.js';

const options = new Command('sync')
  .option('--pages <n>', 'pages of the site', '10000')
  .option('--name <name>', 'of the results', 'sync')
  .parse()
  .opts<{ pages: string; name: string }>();
const pages = Number(options.pages);
const server = process.env['DATABASE_URL'];
const folder = await mkdtemp(join(tmpdir(), 'pathmend-sync-'));
const database = server === undefined || server === '' ? undefined : await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  ...(database ? { DATABASE_URL: database.url } : { DATA_DIR: join(folder, 'data') }),
};
const made = await writeManyPages(pages, 1);

/** The same pages as files of Markdown, each in the folder of its section. */
async function writeFolder(): Promise<string> {
  const root = join(folder, 'site');
  for (const line of (await readFile(made.file, 'utf8')).trimEnd().split('\n')) {
    const { url, content } = JSON.parse(line) as { url: string; content: string };
    const [, section = '', ...rest] = new URL(url).pathname.split('/');
    await mkdir(join(root, section), { recursive: true });
    await writeFile(join(root, section, `${rest.join('-')}.md`), `---\ntitle: ${rest.join(' ')}\n---\n${content}\n`);
  }
  return root;
}

try {
  const sources = { json_lines: made.file, folder_of_markdown: await writeFolder() };
  const service = await startServiceProcess('all', environment);
  const results: Record<string, Figures> = {};
  for (const [name, source] of Object.entries(sources)) {
    await createUnlimitedProject(name, environment);
    const sync = async (...args: string[]): Promise<number> => {
      const began = performance.now();
      const argv = ['pages', 'sync', '--project', name, '--base', 'https://many.example', ...args, source];
      const report = (await runCommand(argv, environment)) as Record<string, number>;
      if ((report['created'] ?? 0) + (report['unchanged'] ?? 0) !== pages) throw new Error(JSON.stringify(report));
      return (performance.now() - began) / 1000;
    };
    const began = performance.now();
    const stored = await sync();
    await sync('--wait');
    const indexed = (performance.now() - began) / 1000;
    results[name] = {
      stored_s: rounded(stored),
      indexed_s: rounded(indexed),
      unchanged_s: rounded(await sync()),
      unchanged_pages_per_second: rounded(pages / (await sync())),
    };
  }
  await keepResults(options.name, { database: database ? 'server' : 'embedded', pages, sync: results });
  await service.stop();
} finally {
  await made.remove();
  await database?.drop();
  await rm(folder, { recursive: true });
}
