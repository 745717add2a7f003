import { sql, type Sql } from '../../platform/database/sql.js';
import type { Trx } from '../../platform/database/db.js';
import { MAX_WHOLE, type PathSpellings } from './erasure.js';

/** Takes a path out of what was made of 404s and clicks: reports, hits, cases of proposals, the history of rules. */
export async function forgetTraces(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const ofProject = (table: string, column: string): Sql =>
    sql`select e #>> '{}' from ${sql.table(`pathmend.${table}`)} cross join jsonb_path_query(${sql.ref(column)}, '$.**') as e
         where project_id = ${projectId} and jsonb_typeof(e) = 'string'`;
  const without = (list: Sql, field: string, texts: readonly string[]): Sql =>
    sql`coalesce((select jsonb_agg(e order by n) from jsonb_array_elements(${list}) with ordinality as l (e, n)
                   where (e ->> ${field}::text = any (${texts}::text[])) is not true), '[]')`;
  const proposed = [
    ...(await path.among(trx, ofProject('rule_proposals', 'evidence'))),
    ...(await path.among(trx, ofProject('rule_proposals', 'examples'))),
    ...(await path.among(trx, sql`select path from pathmend.rule_proposals where project_id = ${projectId}`)),
  ];
  await sql`
    delete from pathmend.rule_proposals where project_id = ${projectId} and path = any (${proposed}::text[])`.execute(
    trx,
  );
  await sql`
    update pathmend.rule_proposals
       set evidence = ${without(sql`evidence`, 'from', proposed)}, examples = ${without(sql`examples`, 'path', proposed)}
     where project_id = ${projectId}`.execute(trx);
  const changed = await path.among(trx, ofProject('rule_changes', 'rules'));
  await sql`
    update pathmend.rule_changes set rules = ${without(sql`rules`, 'path', changed)}
     where project_id = ${projectId}
       and exists (select from jsonb_array_elements(rules) as e where e ->> 'path' = any (${changed}::text[]))`.execute(
    trx,
  );
  const refused = await path.among(trx, ofProject('sync_runs', 'refusals'));
  await sql`
    update pathmend.sync_runs set refusals = ${without(sql`refusals`, 'where', refused)}
     where project_id = ${projectId} and refusals <> '[]'`.execute(trx);
  await forgetMessages(trx, projectId, path);
  await forgetSubjects(trx, projectId, path);
  await sql`
    update pathmend.missing_pages set networks = '{}', hours = '{}'
     where project_id = ${projectId} and path_key = any (${path.keys}::bytea[])`.execute(trx);
  await sql`
    delete from pathmend.rule_hits where project_id = ${projectId} and rule_key = any (${path.keys}::bytea[])`.execute(
    trx,
  );
}

/** Erases alerts about a path, and messages that name it. */
async function forgetMessages(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const strings = (column: string): Sql =>
    sql`jsonb_path_query(${sql.ref(column)}, '$.** ? (@.type() == "string")') as e`;
  const causes = await path.among(
    trx,
    sql`select e #>> '{}' from pathmend.alerts cross join ${strings('cause')} where project_id = ${projectId}`,
  );
  await sql`
    delete from pathmend.alerts where project_id = ${projectId}
       and exists (select from ${strings('cause')} where e #>> '{}' = any (${causes}::text[]))`.execute(trx);
  const told = await path.among(
    trx,
    sql`select e #>> '{}' from pathmend.deliveries cross join ${strings('message')} where project_id = ${projectId}`,
  );
  await sql`
    delete from pathmend.deliveries where project_id = ${projectId}
       and exists (select from ${strings('message')} where e #>> '{}' = any (${told}::text[]))`.execute(trx);
}

/** The audit log goes on saying who changed something and when. */
async function forgetSubjects(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const { rows } = await sql<{ entry_id: string; subject: string }>`
    select entry_id, subject from pathmend.audit_log
     where about_project = ${projectId} and (${path.mayBeIn(sql`subject`)} or length(subject) >= ${MAX_WHOLE})`.execute(
    trx,
  );
  for (const { entry_id, subject } of rows) {
    const left = path.takenOut(subject);
    if (left !== undefined)
      await sql`update pathmend.audit_log set subject = ${left} where entry_id = ${entry_id}`.execute(trx);
  }
}
