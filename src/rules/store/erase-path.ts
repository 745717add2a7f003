import { sql } from '../../platform/database/sql.js';
import type { Trx } from '../../platform/database/db.js';
import { textsWithin, withoutTexts, type PathSpellings } from '../../platform/database/path-spellings.js';
import { deleteLearnedClicks } from './clicked-redirects.js';

/**
 * Deletes a path from the data that 404s and clicks left: hits, cases of proposals, the history of rules, and learned
 * redirects by clicks. The rules stay. Returns true if answers may change.
 */
export async function erasePathOfRules(trx: Trx, projectId: string, path: PathSpellings): Promise<boolean> {
  const proposed = [
    ...(await path.among(trx, textsWithin('rule_proposals', 'evidence', projectId))),
    ...(await path.among(trx, textsWithin('rule_proposals', 'examples', projectId))),
    ...(await path.among(trx, sql`select path from pathmend.rule_proposals where project_id = ${projectId}`)),
  ];
  await sql`
    delete from pathmend.rule_proposals
     where project_id = ${projectId} and path = any (${proposed}::text[])`.execute(trx);
  await sql`
    update pathmend.rule_proposals
       set evidence = ${withoutTexts('evidence', 'from', proposed)},
           examples = ${withoutTexts('examples', 'path', proposed)}
     where project_id = ${projectId}`.execute(trx);
  const changed = await path.among(trx, textsWithin('rule_changes', 'rules', projectId));
  await sql`
    update pathmend.rule_changes set rules = ${withoutTexts('rules', 'path', changed)}
     where project_id = ${projectId}
       and exists (select from jsonb_array_elements(rules) as e
                    where e ->> 'path' = any (${changed}::text[]))`.execute(trx);
  await sql`
    delete from pathmend.rule_hits
     where project_id = ${projectId} and rule_key = any (${path.keys}::bytea[])`.execute(trx);
  let learned = 0;
  for (const key of path.keys) learned += await deleteLearnedClicks(trx, projectId, key);
  return learned > 0;
}

/** Forgets which clicks of these searches were counted. */
export async function eraseCountedClicks(trx: Trx, projectId: string, searchIds: readonly string[]): Promise<void> {
  await sql`
    delete from pathmend.counted_clicks
     where project_id = ${projectId} and search_id = any (${searchIds}::uuid[])`.execute(trx);
}
