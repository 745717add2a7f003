import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findDueBuild } from '#src/pages/large-projects/build-segments-job.js';
import { findLargeProjects } from '#src/pages/store/segments.js';
import { connect } from '#src/platform/database/session/connect.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { startChild } from '../../../service/child.js';
import { createUnlimitedProject, runCommand } from '../../../service/service-process.js';
import { throwawayDatabase } from '../../../service/throwaway-database.js';
import { onNewDatabase } from '../../processes.js';
import type { ContenderOptions, ContenderReady } from './contender.js';
import type { BenchData } from './data.js';

/** A contender that answers: where paths and questions go, and what its building took. */
export interface Contender {
  name: string;
  pid: number;
  urls: { path: string; query: string };
  headers: Record<string, string>;
  buildSeconds: number;
  stop(): Promise<void>;
}

/** On a database of its own, which only PostgreSQL by hand makes use of. */
export async function startPeer(
  options: Omit<ContenderOptions, 'databaseUrl' | 'folder'>,
  server: string,
): Promise<Contender> {
  const database = await throwawayDatabase(server);
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-peer-'));
  const remove = async (): Promise<void> => {
    await database.drop();
    await rm(folder, { recursive: true });
  };
  const argument: ContenderOptions = { ...options, folder, databaseUrl: database.url };
  // A hundred thousand pages in JavaScript's own heap need more than V8's default.
  const program = fileURLToPath(new URL('./contender.js', import.meta.url));
  const argv = ['--expose-gc', '--max-old-space-size=12288', program, JSON.stringify(argument)];
  try {
    const child = await startChild(argv, process.env);
    const { url, buildSeconds } = child.ready as ContenderReady;
    const stop = async (): Promise<void> => {
      await child.stop();
      await remove();
    };
    const { name } = options;
    return { name, pid: child.pid, urls: { path: url, query: url }, headers: {}, buildSeconds, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The service itself, without its cache: none of the others has one. */
export async function startPathmend(
  data: BenchData,
  model: string,
  server: string,
): Promise<Contender & { databaseUrl: string }> {
  const processes = await onNewDatabase(server, { SEARCH_CACHE_ENTRIES: '0', EMBEDDING_MODEL: model });
  const { environment, databaseUrl } = processes;
  const { pid, url } = await processes.serve('all');
  const key = await createUnlimitedProject('bench', environment);
  const startedAt = performance.now();
  await runCommand(['pages', 'import', '--project', 'bench', '--wait', data.pagesFile], environment);
  await ownIndexesBuilt(databaseUrl);
  const buildSeconds = (performance.now() - startedAt) / 1000;
  const urls = { path: `${url}/v1/suggest`, query: `${url}/v1/semantic-search` };
  const headers = { Authorization: `Bearer ${key}` };
  return { name: 'pathmend', pid, urls, headers, buildSeconds, databaseUrl, stop: () => processes.stop() };
}

/** A large project is scanned until its own indexes are there: waits for those of the only project of a database. */
async function ownIndexesBuilt(databaseUrl: string): Promise<void> {
  const { ownIndexChunks } = parseConfig(process.env);
  const connection = connect({ url: databaseUrl, max: 1, applicationName: 'bench', onIdleError: () => undefined });
  const [project] = await findLargeProjects(connection.db, 1);
  // As if all were quiet already: what is put together then is waited for.
  const due = async (): Promise<boolean> =>
    project !== undefined && (await findDueBuild(connection.db, project, ownIndexChunks, 0))?.due !== undefined;
  while (await due()) await pause(1_000);
  await connection.close();
}
