import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { joinLookup } from '../../platform/database/lateral-joins.js';

/** The vectors that a project has under a model, by the hash of their text. */
export async function findVectors(
  db: Db,
  projectId: string,
  modelId: number,
  hashes: readonly bigint[],
): Promise<Map<bigint, Float32Array>> {
  if (hashes.length === 0) return new Map();
  const isOne = sql`r.project_id = ${projectId} and r.model_id = ${modelId} and r.text_hash = i.hash`;
  const { rows } = await sql<{ hash: string; vector: string }>`
    select i.hash::text as hash, p.embedding::text as vector
      from unnest(${hashes.map(String)}::bigint[]) as i (hash)
      ${joinLookup('passages', 'p', ['embedding'], isOne, sql`limit 1`)}`.execute(db);
  return new Map(rows.map(({ hash, vector }) => [BigInt(hash), Float32Array.from(JSON.parse(vector) as number[])]));
}
