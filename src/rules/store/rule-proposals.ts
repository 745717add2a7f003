import { query, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';

/**
 * A redirect that shows a rule. For clicks, it also has how often people saw links lately, and how often they clicked
 * none of them.
 */
export interface Case {
  from: string;
  to: string;
  shown?: number;
  unclicked?: number;
}

type StoredColumns = Omit<Row<'rule_proposals'>, 'project_id' | 'rule_key' | 'source' | 'evidence' | 'examples'>;

/** A row of pathmend.rule_proposals; db/schema.sql says what its columns mean. */
export interface ProposalRow extends StoredColumns {
  /** The rule's key, in hexadecimal. */
  key: string;
  source: 'sections' | 'redirects' | 'clicks';
  evidence: Case[];
  /** `to`: null where the rule would take the path, and its new page is missing. */
  examples: { path: string; requests: number; to: string | null }[];
}

const COLUMNS = sql`encode(rule_key, 'hex') as key, path, target, source, support, contradictions, confidence, evidence,
  paths, requests, examples, proposed_at, rejected_at, rejected_by`;

/** Replaces the proposals that nobody has rejected. The caller holds the lock of `lockRedirects`. */
export async function replaceProposals(
  trx: Trx,
  projectId: string,
  proposals: readonly Omit<ProposalRow, 'proposed_at' | 'rejected_at' | 'rejected_by'>[],
  at: Date,
): Promise<void> {
  await trx
    .deleteFrom('pathmend.rule_proposals')
    .where('project_id', '=', projectId)
    .where('rejected_at', 'is', null)
    .execute();
  await sql`
    insert into pathmend.rule_proposals
      (project_id, rule_key, path, target, source, support, contradictions, confidence, evidence, paths, requests,
       examples, proposed_at)
    select ${projectId}::uuid, decode(i.key, 'hex'), i.path, i.target, i.source, i.support, i.contradictions,
           i.confidence, i.evidence, i.paths, i.requests, i.examples, ${at}
      from jsonb_to_recordset(${JSON.stringify(proposals)}::jsonb)
           as i (key text, path text, target text, source text, support float8, contradictions float8,
                 confidence float8, evidence jsonb, paths int, requests int, examples jsonb)
     order by i.key
    on conflict do nothing`.execute(trx);
}

/** The place in a list after which its next part begins. */
export type ProposalPlace = Pick<ProposalRow, 'requests' | 'confidence' | 'key'>;

/**
 * Lists proposals: those first that would answer the most stored 404s, then the surest. The rows of a sheet are left
 * out; redirect-sheet.ts lists them.
 */
export function listProposalRows(
  db: Db,
  projectId: string,
  isRejected: boolean,
  after: ProposalPlace | undefined,
  limit: number,
): Promise<ProposalRow[]> {
  const { requests = null, confidence = null, key = null } = after ?? {};
  return query(sql<ProposalRow>`
    select ${COLUMNS} from pathmend.rule_proposals
     where project_id = ${projectId} and (rejected_at is not null) = ${isRejected} and source <> 'map'
       and (${requests}::int is null
            or (-requests, -confidence, rule_key)
               > (-${requests}::int, -${confidence}::float8, decode(${key}::text, 'hex')))
     order by requests desc, confidence desc, rule_key limit ${limit}`).rows(db);
}

/** Reads the proposals with these keys that nobody has rejected. */
export function readProposals(db: Db, projectId: string, keys: readonly Buffer[]): Promise<ProposalRow[]> {
  return query(sql<ProposalRow>`
    select ${COLUMNS} from pathmend.rule_proposals
     where project_id = ${projectId} and rule_key = any (${keys}::bytea[]) and rejected_at is null
     order by rule_key`).rows(db);
}

export async function deleteProposals(trx: Trx, projectId: string, keys: readonly Buffer[]): Promise<void> {
  await sql`
    delete from pathmend.rule_proposals
     where project_id = ${projectId} and rule_key = any (${keys}::bytea[])`.execute(trx);
}

/** Marks proposals as rejected. Returns how many of them were not rejected before. */
export async function rejectProposalRows(
  db: Db,
  projectId: string,
  keys: readonly Buffer[],
  { by, at }: { by: string; at: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update pathmend.rule_proposals set rejected_at = ${at}, rejected_by = ${by}
     where project_id = ${projectId} and rule_key = any (${keys}::bytea[]) and rejected_at is null`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Finds the projects with redirects or clicks, from which rules may be learned. */
export function findProjectsWithRedirects(db: Db): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    select v.project_id from pathmend.index_versions v
     where exists (select 1 from pathmend.learned_redirects m where m.project_id = v.project_id)
        or exists (select 1 from pathmend.rules r where r.project_id = v.project_id and r.action = 'redirect')
     order by v.project_id`).column(db, 'project_id');
}
