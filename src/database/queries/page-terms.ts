import { sql } from '#kysely';
import { MAX_TERM_ID, type TermWeights } from '../../text/words/terms.js';
import type { Trx } from '../db.js';
import { insteadOfCopy } from './instead-of-copy.js';

/** The number of elements that pgvector allows in a sparse vector. */
const MAX_TERMS_PER_PART = 16_000;

/** A sparse vector in pgvector's text format. Terms are 1 or more. */
export function toSparse(entries: Iterable<readonly [number, number]>): string {
  const parts: string[] = [];
  for (const [term, weight] of entries) parts.push(`${term}:${weight.toPrecision(4)}`);
  return `{${parts.join(',')}}/${MAX_TERM_ID}`;
}

export async function replacePageTerms(
  trx: Trx,
  projectId: string,
  pages: readonly { pageId: string; terms: TermWeights }[],
): Promise<void> {
  const rows = pages.flatMap(({ pageId, terms }) => {
    const entries = [...terms];
    const parts = Math.max(1, Math.ceil(entries.length / MAX_TERMS_PER_PART));
    return Array.from({ length: parts }, (_, part) => ({
      pageId,
      part,
      terms: toSparse(entries.slice(part * MAX_TERMS_PER_PART, (part + 1) * MAX_TERMS_PER_PART)),
    }));
  });
  await sql`delete from pathmend.page_terms
             where project_id = ${projectId} and page_id = any (${pages.map((p) => p.pageId)}::text[])`.execute(trx);
  await sql`
    insert into pathmend.page_terms (project_id, page_id, part, terms)
    select ${projectId}::uuid, i.page_id, i.part, i.terms::sparsevec
      from unnest(${rows.map((r) => r.pageId)}::text[],
                  ${rows.map((r) => r.part)}::smallint[], ${rows.map((r) => r.terms)}::text[])
        as i (page_id, part, terms)
    ${insteadOfCopy}`.execute(trx);
}
