import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { OperatorError } from '../../base/errors.js';
import { sqlState } from './session/database-errors.js';

/*
 * This file holds what pathmend knows about Citus (docs/operate/citus.md). Statements elsewhere have no variant for
 * Citus. Where two forms of a statement are equal and Citus takes only one of them, the statement has that form, and a
 * comment explains it.
 */

/** The query reads the process id of the session that answers, and whether its database has the extension of Citus. */
export const SESSION_FACTS = `select pg_backend_pid() as pid, exists (select from pg_extension where extname = 'citus') as citus`;
export interface SessionFacts {
  pid: number;
  citus: boolean;
}

/**
 * Transactions on Citus begin with these settings. Tables on every node are written through the coordinator only: else
 * a writer asks a worker for a lock, which a tenant may not. And a transaction's settings are also set on its nodes.
 */
export const CITUS_SETUP = [
  'set local citus.allow_modifications_from_workers_to_replicated_tables = off',
  `set local citus.propagate_set_commands = 'local'`,
];

/**
 * Returns the statements that a transaction on Citus begins with. Each is sent by itself, since Citus passes on the
 * whole text in which it meets a setting. The role is set before Citus is configured to pass settings on: a transaction
 * goes to a node as this role anyway, and what runs with its owner's rights must go there as the owner.
 */
export function inOrderOfCitus(settings: readonly string[], setup: readonly string[]): string[] {
  const each = settings.flatMap((text) => text.split('; '));
  const isRole = (text: string): boolean => /^set local role /.test(text);
  return ['begin', ...each.filter(isRole), ...setup, ...each.filter((text) => !isRole(text))];
}

/** Objects of the catalogue that db/citus/distribute.sql drops. */
export const NOT_ON_CITUS = new Set([
  'constraint rate_buckets__project on pathmend.rate_buckets',
  'constraint turns__project on pathmend.turns',
  'constraint projects__model on pathmend.projects',
]);

export interface DistributeReport {
  /** Whether this call distributed anything: a database that is distributed already is left as it is. */
  distributed: boolean;
  /** Tables whose rows are on the workers, by project. */
  tables: number;
  workers: number;
}

const HOW = 'docs/operate/citus.md says how a cluster is made.';
/** The SQLSTATE of insufficient_privilege. */
const NOT_ALLOWED = '42501';

/**
 * Distributes the tables of a migrated database over the workers of its Citus cluster, by db/citus/distribute.sql.
 * Existing rows move to the workers. Nothing else may use the database meanwhile. `folder` is the package's `db`.
 * @throws OperatorError where there is no cluster, or this role may not do it.
 */
export async function distribute(client: pg.ClientBase, folder: string): Promise<DistributeReport> {
  await requireCluster(client);
  const before = await countDistributed(client);
  const text = await readFile(join(folder, 'citus', 'distribute.sql'), 'utf8');
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    if (sqlState(error) !== NOT_ALLOWED) throw error;
    throw new OperatorError(`This database role may not distribute the tables. ${HOW}`, { cause: error });
  }
  const after = await countDistributed(client);
  return { distributed: after.tables > before.tables, ...after };
}

/** @throws OperatorError */
async function requireCluster(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<SessionFacts>(SESSION_FACTS);
  if (rows[0]?.citus !== true)
    throw new OperatorError(`This database has no extension citus: it cannot be distributed. ${HOW}`);
  const { rows: nodes } = await client.query<{ workers: number; coordinator: boolean; here: boolean }>(
    `select (count(*) filter (where groupid <> 0 and shouldhaveshards and isactive))::int as workers,
            coalesce(bool_or(groupid = 0), false) as coordinator,
            (select groupid = 0 from pg_dist_local_group) as here
       from pg_dist_node where noderole = 'primary'`,
  );
  const { workers = 0, coordinator = false, here = false } = nodes[0] ?? {};
  if (!here) throw new OperatorError(`DATABASE_URL leads to a worker of Citus: name the coordinator. ${HOW}`);
  if (!coordinator || workers === 0)
    throw new OperatorError(
      coordinator
        ? `This coordinator of Citus has no workers: add them with citus_add_node. ${HOW}`
        : `This database's cluster does not know its coordinator: run citus_set_coordinator_host. ${HOW}`,
    );
}

async function countDistributed(client: pg.ClientBase): Promise<{ tables: number; workers: number }> {
  const { rows } = await client.query<{ tables: number; workers: number }>(
    `select (select count(*)::int from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
              where c.relnamespace = 'pathmend'::regnamespace and d.partmethod = 'h' and not c.relispartition) as tables,
            (select count(*)::int from pg_dist_node
              where groupid <> 0 and shouldhaveshards and isactive and noderole = 'primary') as workers`,
  );
  return rows[0] ?? { tables: 0, workers: 0 };
}
