import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Service } from '#src/app/service.js';
import { jsonInProcess } from './commands.js';
import type { TestDatabase } from './database.js';
import type { TestProject } from './service.js';
import { query } from './sql.js';

/** The part of a test's title that says what tests on Citus need, where it is missing. */
export const NEEDS_CITUS = 'needs TEST_CITUS_URL: the coordinator that scripts/citus/build.sh starts';

/** Few shards: each is made of fifty tables, and a test's database lives for seconds. */
const SHARDS = 4;

export function citusUrl(): string | undefined {
  return process.env['TEST_CITUS_URL'];
}

function nameDatabase(): string {
  return `pathmend_test_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
}

interface Node {
  host: string;
  port: number;
}

/** A database of a test's own on every node of the cluster, which knows its nodes. */
export async function createCitusDatabase(): Promise<TestDatabase> {
  const nodes = await listNodes();
  const name = nameDatabase();
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

/** Creates such a database with pathmend's tables, which are distributed by project. */
export async function createDistributedDatabase(): Promise<TestDatabase> {
  const database = await createCitusDatabase();
  await jsonInProcess(['migrate', '--distribute', 'citus'], database.environment);
  return database;
}

/** Returns the nodes of the cluster, the coordinator first. */
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

/** Drops a database on all nodes, even one that another process made. */
export async function dropCitusDatabase(url: string): Promise<void> {
  await drop(await listNodes(), new URL(url).pathname.slice(1));
}

/** Drops by force: Citus keeps connections to a database for a while, and its daemon keeps one for ever. */
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

/** Creates a database without the extension, on the coordinator's server. */
export async function createDatabaseWithoutCitus(): Promise<TestDatabase> {
  const [coordinator] = (await listNodes()) as [Node];
  const name = nameDatabase();
  await on(coordinator, 'postgres', [
    'set client_min_messages = error; set citus.enable_create_database_propagation = off',
    `create database ${name}`,
  ]);
  return {
    kind: 'server',
    environment: { DATABASE_URL: urlOf(coordinator, name) },
    drop: () => drop([coordinator], name),
  };
}

interface Placement extends Node {
  shard: string;
}

/** The worker that has a project's pages, and its shard of them. */
async function placementOf(service: Service, { row }: TestProject): Promise<Placement> {
  const [placement] = await query<Placement>(
    service,
    `select s.shardid::text as shard, s.nodename as host, s.nodeport as port
       from citus_shards s
      where s.shardid = get_shard_id_for_distribution_column('pathmend.pages', $1::uuid)`,
    [row.project_id],
  );
  if (!placement) throw new Error('the project has no shard');
  return placement;
}

export async function nodeOfProject(service: Service, project: TestProject): Promise<string> {
  const { host, port } = await placementOf(service, project);
  return `${host}:${port}`;
}

/** Moves the shards that a project's rows are in to another worker, as docs/operate/citus.md says. */
export async function moveProject(service: Service, project: TestProject): Promise<void> {
  const { shard, host, port } = await placementOf(service, project);
  await query(
    service,
    `select citus_move_shard_placement($1, $2, $3, w.nodename, w.nodeport, 'force_logical')
       from pg_dist_node w where w.groupid <> 0 and (w.nodename, w.nodeport) <> ($2, $3) limit 1`,
    [shard, host, port],
  );
}
