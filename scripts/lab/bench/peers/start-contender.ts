import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownIndexesBuilt } from '../own-indexes-built.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from '../../../service/service-process.js';
import { throwawayDatabase } from '../../../service/throwaway-database.js';
import { startChild } from '../../../service/child.js';
import type { ContenderOptions, ContenderReady } from './contender.js';
import type { BenchData } from './data.js';

/** A contender that answers: where paths and questions go, and what its building took. */
export interface Contender {
  name: string;
  pid: number;
  urls: { path: string; query: string };
  headers: Record<string, string>;
  /** Not measured where a database that is indexed already was used. */
  buildSeconds: number | undefined;
  details: Record<string, string | number>;
  stop(): Promise<void>;
}

export interface StartOptions {
  data: BenchData;
  folder: string;
  /** A PostgreSQL server. */
  server: string | undefined;
  /** A database that pathmend has indexed these pages in already, and a key of its project. */
  indexed: { database: string; key: string } | undefined;
}

export async function startContender(name: string, options: StartOptions): Promise<Contender> {
  const folder = join(options.folder, name);
  await mkdir(folder, { recursive: true });
  return name === 'pathmend' ? startPathmend(folder, options) : startPeer(name, folder, options);
}

async function startPeer(name: string, folder: string, { data, server }: StartOptions): Promise<Contender> {
  const database = name === 'postgres_by_hand' && server !== undefined ? await throwawayDatabase(server) : undefined;
  const argument: ContenderOptions = {
    name,
    files: data.files,
    dimensions: data.dimensions,
    folder,
    databaseUrl: database?.url,
  };
  // A hundred thousand pages in JavaScript's own heap need more than V8's default.
  const argv = [
    '--expose-gc',
    '--max-old-space-size=12288',
    fileURLToPath(new URL('./contender.js', import.meta.url)),
    JSON.stringify(argument),
  ];
  try {
    const child = await startChild(argv, { ...process.env, NODE_NO_WARNINGS: '1', LANCEDB_LOG: 'error' });
    const { url, buildSeconds, details } = child.ready as ContenderReady;
    const stop = async (): Promise<void> => {
      await child.stop();
      await database?.drop();
    };
    return { name, pid: child.pid, urls: { path: url, query: url }, headers: {}, buildSeconds, details, stop };
  } catch (error) {
    await database?.drop();
    throw error;
  }
}

/** The service itself, without its cache: none of the others has one. */
async function startPathmend(folder: string, { data, server, indexed }: StartOptions): Promise<Contender> {
  const database = indexed === undefined && server !== undefined ? await throwawayDatabase(server) : undefined;
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: indexed?.database ?? database?.url ?? '',
    DATA_DIR: join(folder, 'data'),
    SEARCH_CACHE_ENTRIES: '0',
  };
  const child = await startServiceProcess('all', environment);
  const stop = async (): Promise<void> => {
    await child.stop();
    await database?.drop();
  };
  try {
    const key = indexed?.key ?? (await createUnlimitedProject('bench', environment));
    const startedAt = performance.now();
    if (!indexed) await runCommand(['pages', 'import', '--project', 'bench', '--wait', data.files.pages], environment);
    if (database) await ownIndexesBuilt(database.url);
    const buildSeconds = indexed ? undefined : (performance.now() - startedAt) / 1000;
    const details = {
      memory:
        server === undefined && indexed === undefined
          ? 'with the embedded database'
          : 'of the service only: the server has its own',
    };
    const urls = { path: `${child.url}/v1/suggest`, query: `${child.url}/v1/semantic-search` };
    return {
      name: 'pathmend',
      pid: child.pid,
      urls,
      headers: { Authorization: `Bearer ${key}` },
      buildSeconds,
      details,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
