import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

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
 * database serves, as for whoever just cloned the repository.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  return server === undefined ? createEmbedded() : createOnServer(server);
}

/** Whether tests run on a real server; what only that can show (several connections at once) is left out elsewhere. */
export function onServer(): boolean {
  return process.env['TEST_DATABASE_URL'] !== undefined || process.env['TEST_DATABASE'] === 'docker';
}

async function createEmbedded(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-test-'));
  return {
    kind: 'embedded',
    environment: { DATA_DIR: join(folder, 'data') },
    drop: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function createOnServer(server: string): Promise<TestDatabase> {
  const name = `pathmend_test_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  await onAdmin(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    kind: 'server',
    environment: { DATABASE_URL: url.href },
    drop: () => onAdmin(server, `drop database if exists ${name} with (force)`),
  };
}

async function onAdmin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

let container: Promise<{ url: string; stop: () => Promise<unknown> }> | undefined;

async function serverUrl(): Promise<string | undefined> {
  if (process.env['TEST_DATABASE_URL'] !== undefined) return process.env['TEST_DATABASE_URL'];
  if (process.env['TEST_DATABASE'] !== 'docker') return undefined;
  container ??= startContainer();
  return (await container).url;
}

async function startContainer(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const started = await new GenericContainer('pgvector/pgvector:0.8.6-pg18')
    .withEnvironment({ POSTGRES_PASSWORD: 'postgres' })
    .withExposedPorts(5432)
    .withSharedMemorySize(1024 ** 3)
    // Twice: the first is the server that only initializes the data folder.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://postgres:postgres@${started.getHost()}:${started.getMappedPort(5432)}/postgres`,
    stop: () => started.stop(),
  };
}

export async function stopContainer(): Promise<void> {
  await (await container)?.stop();
}
