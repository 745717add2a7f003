import { sql } from '../../platform/database/sql.js';
import { MAX_TERM_ID, type TermWeights } from '../../text/words/terms.js';
import { arrayOf, textArray, insteadOfCopy } from '../../platform/database/binary-arrays.js';
import type { Trx } from '../../platform/database/db.js';
import type { VectorTypes } from './index-rows.js';

/** The number of elements that pgvector allows in a sparse vector. */
const MAX_TERMS_PER_PART = 16_000;

/** A sparse vector in pgvector's text format. Terms are 1 or more. */
export function toSparse(entries: Iterable<readonly [number, number]>): string {
  const parts: string[] = [];
  for (const [term, weight] of entries) parts.push(`${term}:${weight.toPrecision(4)}`);
  return `{${parts.join(',')}}/${MAX_TERM_ID}`;
}

/**
 * In the binary format of `sparsevec_recv` (src/sparsevec.c of pgvector): dimensions, number of terms and 32 zero bits;
 * the terms less 1 in ascending order; their weights, which may not be 0, as 32-bit floats.
 */
function toSparseBytes(entries: readonly (readonly [number, number])[]): Buffer {
  const sorted = [...entries].sort(([a], [b]) => a - b);
  const bytes = Buffer.allocUnsafe(12 + 8 * sorted.length);
  let at = bytes.writeInt32BE(MAX_TERM_ID, 0);
  at = bytes.writeInt32BE(sorted.length, at);
  at = bytes.writeInt32BE(0, at);
  for (const [term] of sorted) at = bytes.writeInt32BE(term - 1, at);
  for (const [, weight] of sorted) at = bytes.writeFloatBE(weight, at);
  return bytes;
}

export async function replacePageTerms(
  trx: Trx,
  projectId: string,
  { sparse }: Pick<VectorTypes, 'sparse'>,
  pages: readonly { pageId: string; terms: TermWeights }[],
): Promise<void> {
  const rows = pages.flatMap(({ pageId, terms }) => {
    const entries = [...terms];
    const parts = Math.max(1, Math.ceil(entries.length / MAX_TERMS_PER_PART));
    return Array.from({ length: parts }, (_, part) => ({
      pageId,
      part,
      terms: toSparseBytes(entries.slice(part * MAX_TERMS_PER_PART, (part + 1) * MAX_TERMS_PER_PART)),
    }));
  });
  await sql`delete from pathmend.page_terms
             where project_id = ${projectId} and page_id = any (${textArray(pages.map((p) => p.pageId))}::text[])`.execute(
    trx,
  );
  await sql`
    insert into pathmend.page_terms (project_id, page_id, part, terms)
    select ${projectId}::uuid, i.page_id, i.part, i.terms
      from unnest(${textArray(rows.map((r) => r.pageId))}::text[], ${rows.map((r) => r.part)}::smallint[],
                  ${arrayOf(
                    sparse,
                    rows.map((r) => r.terms),
                  )}::sparsevec[])
        as i (page_id, part, terms)
    ${insteadOfCopy}`.execute(trx);
}
