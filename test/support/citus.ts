import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { jsonInProcess } from './commands.js';
import type { TestDatabase } from './database.js';

/** What tests on Citus need, in words, where it is not there. */
export const NEEDS_CITUS = 'needs TEST_CITUS_URL: the coordinator that scripts/citus/build.sh starts';

/** Few shards: each is made of fifty tables, and a test's database lives for seconds. */
const SHARDS = 4;

export function citusUrl(): string | undefined {
  return process.env['TEST_CITUS_URL'];
}

interface Node {
  host: string;
  port: number;
}

/** A database of a test's own on every node of the cluster, which knows its nodes. */
export async function createCitusDatabase(): Promise<TestDatabase> {
  const nodes = await listNodes();
  const name = `pathmend_test_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  for (const node of nodes) {
    await on(node, 'postgres', [
      'set client_min_messages = error; set citus.enable_create_database_propagation = off',
      `create database ${name}`,
    ]);
    await on(node, name, ['create extension citus', `alter database ${name} set citus.shard_count = ${SHARDS}`]);
  }
  const [coordinator, ...workers] = nodes as [Node, ...Node[]];
  await on(coordinator, name, [
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  ]);
  return { kind: 'server', environment: { DATABASE_URL: urlOf(coordinator, name) }, drop: () => drop(nodes, name) };
}

/** The same with pathmend's tables, spread by project. */
export async function createDistributedDatabase(): Promise<TestDatabase> {
  const database = await createCitusDatabase();
  await jsonInProcess(['migrate', '--distribute', 'citus'], database.environment);
  return database;
}

/** The coordinator first. */
async function listNodes(): Promise<Node[]> {
  const client = new pg.Client({ connectionString: citusUrl() });
  await client.connect();
  try {
    const { rows } = await client.query<Node>(
      `select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** A database that another process made, too. */
export async function dropCitusDatabase(url: string): Promise<void> {
  await drop(await listNodes(), new URL(url).pathname.slice(1));
}

/** Citus keeps connections to a database for a while, and its daemon one for ever. */
async function drop(nodes: readonly Node[], name: string): Promise<void> {
  for (const node of nodes)
    await on(node, 'postgres', [
      'set citus.enable_create_database_propagation = off',
      `drop database if exists ${name} with (force)`,
    ]);
}

function urlOf({ host, port }: Node, database: string): string {
  return Object.assign(new URL(citusUrl() ?? ''), { hostname: host, port: String(port), pathname: `/${database}` })
    .href;
}

async function on(node: Node, database: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(node, database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
