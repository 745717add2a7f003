import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { keepWasm } from './kept-wasm.js';
import { layOutMigrated } from './migrated-folder.js';
import { migratedTemplate, templateName } from './migrated-template.js';

/** An empty database of a test's own, as settings for the service or the CLI. */
export interface TestDatabase {
  kind: 'embedded' | 'server';
  /** DATABASE_URL, or DATA_DIR of the embedded one. */
  environment: Record<string, string>;
  /** Removes it; a failed test may leave it for a look. */
  drop(): Promise<void>;
}

/**
 * TEST_DATABASE_URL names a server; else TEST_DATABASE=docker starts one through testcontainers; else the embedded
 * database serves, as for whoever just cloned the repository. TEST_DATABASE=citus spreads it over the cluster of
 * TEST_CITUS_URL. `migrated`: its schema may be there already.
 */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  if (process.env['TEST_DATABASE'] === 'citus') {
    const { createCitusDatabase, createDistributedDatabase } = await import('./citus.js');
    return options.migrated ? await createDistributedDatabase() : await createCitusDatabase();
  }
  const server = process.env['TEST_DATABASE_URL'];
  const { migrated = false } = options;
  const made = server === undefined ? await createEmbedded(migrated) : await createOnServer(server, migrated);
  return { ...made, drop: () => dropTestDatabase(made) };
}

/** A database that another process made, too. */
export async function dropTestDatabase({
  environment: { DATA_DIR, DATABASE_URL },
}: Pick<TestDatabase, 'environment'>): Promise<void> {
  if (DATA_DIR !== undefined) await rm(dirname(DATA_DIR), { recursive: true, force: true, maxRetries: 5 });
  else if (process.env['TEST_DATABASE'] === 'citus')
    await (await import('./citus.js')).dropCitusDatabase(DATABASE_URL ?? '');
  else await onAdmin(`drop database if exists ${new URL(DATABASE_URL ?? '').pathname.slice(1)} with (force)`);
}

/** After all tests: what their databases were copies of, where there is one. */
export async function dropTemplate(): Promise<void> {
  if (process.env['TEST_DATABASE_URL'] !== undefined && process.env['TEST_DATABASE'] !== 'citus')
    for (const name of [templateName(), `${templateName()}_unfinished`])
      await onAdmin(`drop database if exists ${name}`);
}

/** Whether tests run on a real server; what only that can show (several connections at once) is left out elsewhere. */
export function onServer(): boolean {
  return process.env['TEST_DATABASE_URL'] !== undefined || process.env['TEST_DATABASE'] !== undefined;
}

async function createEmbedded(migrated: boolean): Promise<Omit<TestDatabase, 'drop'>> {
  await keepWasm();
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-test-'));
  if (migrated) await layOutMigrated(join(folder, 'data'));
  return { kind: 'embedded', environment: { DATA_DIR: join(folder, 'data') } };
}

async function createOnServer(server: string, migrated: boolean): Promise<Omit<TestDatabase, 'drop'>> {
  const name = `pathmend_test_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  await onAdmin(`create database ${name}${migrated ? ` template ${await migratedTemplate(server)}` : ''}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { kind: 'server', environment: throughPooler(url.href) };
}

/** The settings for a database of the test server, which TEST_PGBOUNCER puts behind a pooler (hooks.ts). */
export function throughPooler(url: string): Record<string, string> {
  const { PATHMEND_TEST_POOLER: port, TEST_PGBOUNCER: mode } = process.env;
  if (port === undefined) return { DATABASE_URL: url };
  const pooled = Object.assign(new URL(url), { port }).href;
  return { DATABASE_URL: pooled, ...(mode === 'transaction' && { DATABASE_DIRECT_URL: url }) };
}

async function onAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

let stopping: (() => Promise<unknown>) | undefined;

/** Starts the server that TEST_DATABASE=docker asks for, for all processes of the run. */
export async function startContainer(): Promise<void> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const started = await new GenericContainer('pgvector/pgvector:0.8.6-pg18')
    .withEnvironment({ POSTGRES_PASSWORD: 'postgres' })
    .withExposedPorts(5432)
    .withSharedMemorySize(1024 ** 3)
    .withCommand(['postgres', '-c', 'max_connections=200'])
    // Twice: the first is the server that only initializes the data folder.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  process.env['TEST_DATABASE_URL'] =
    `postgres://postgres:postgres@${started.getHost()}:${started.getMappedPort(5432)}/postgres`;
  stopping = () => started.stop();
}

export async function stopContainer(): Promise<void> {
  await stopping?.();
}
