import { query, sql } from '../../platform/database/sql.js';
import type { RuleProvenance } from '../../base/glossary.js';
import type { Trx } from '../../platform/database/db.js';
import type { RuleInput } from '../rule-keys.js';
import { rulesEqual, addSpellings } from '../rule-meaning.js';
import { encodeTarget } from '../../rule-formats/read/source-address.js';
import { readHosts } from './page-urls.js';
import { readRules, type RuleRow } from './rules.js';
import { selectTargetOf } from './rules-of-path.js';

/** The maximum number of rules of single paths that one transaction stores. */
export const MAX_RULES = 500;
/** The maximum number of wildcards and patterns of a project. A site has dozens. */
export const MAX_WILDCARDS = 1_000;

export interface StoredRule {
  /** `full`: not stored, since the project has {@link MAX_WILDCARDS}. */
  outcome: 'created' | 'updated' | 'unchanged' | 'full';
  /** The rule that was stored before, if there was one. */
  before: RuleRow | undefined;
  /** Whether the rule leads to one page that the project does not have. */
  waits: boolean;
}

/**
 * Stores rules in place of those of the same paths; their keys must differ. A rule that says the same as the stored one
 * leaves that unchanged, the spelling of its path included: an export writes it. A sync leaves rules that people made
 * alone: else the next night would take their changes back. The caller holds the lock of `lockRedirects`.
 * @returns the rules that were not left alone, each with its outcome
 */
export async function storeRules<Added extends { rule: RuleInput }>(
  trx: Trx,
  projectId: string,
  additions: readonly Added[],
  made: RuleProvenance,
): Promise<(Added & StoredRule)[]> {
  const keys = additions.map(({ rule }) => rule.key);
  const hosts = await readHosts(trx, projectId);
  const stored = new Map((await readRules(trx, projectId, keys, hosts)).map((row) => [row.key, row]));
  let room = additions.some(({ rule }) => rule.kind !== 'exact') ? await countRoom(trx, projectId) : 0;
  const changed: (RuleInput & { made: RuleProvenance })[] = [];
  const respelled: { key: string; spellings: string[] }[] = [];
  const outcomeOf = (rule: RuleInput, before: RuleRow | undefined): StoredRule['outcome'] => {
    if (before && isSame(before, rule, hosts)) {
      // Patterns that differ only in the names of placeholders are no other spellings.
      if (rule.patternStart !== null) return 'unchanged';
      const bare = (path: string): string => (rule.prefix === null ? path : path.slice(0, -1));
      const spellings = addSpellings(bare(before.path), before.spellings, [bare(rule.path), ...rule.spellings]);
      if (spellings.length > before.spellings.length) respelled.push({ key: before.key, spellings });
      return 'unchanged';
    }
    const isBelow = rule.kind !== 'exact';
    if (isBelow && !before && room-- <= 0) return 'full';
    changed.push({ ...rule, made });
    const isRedirect = isBelow || (before?.action === 'redirect' && rule.action === 'redirect');
    return before && isRedirect ? 'updated' : 'created';
  };
  const outcomes = additions.flatMap((added) => {
    const before = stored.get(added.rule.key.toString('hex'));
    const isLeft = made.origin === 'sync' && before && before.made_by !== null;
    return isLeft ? [] : [{ ...added, outcome: outcomeOf(added.rule, before), before }];
  });
  await writeRules(trx, projectId, changed);
  if (respelled.length > 0)
    await sql`
      update pathmend.rules r set spellings = i.spellings
        from jsonb_to_recordset(${JSON.stringify(respelled)}::jsonb) as i (key text, spellings text[])
       where r.project_id = ${projectId} and r.rule_key = decode(i.key, 'hex')`.execute(trx);
  const waiting = await findWaiting(trx, projectId, keys);
  return outcomes.map((outcome) => ({
    ...outcome,
    waits: waiting.has(outcome.rule.key.toString('hex')) && isOwn(outcome.rule.targetHost, hosts),
  }));
}

const isOwn = (host: string | null, hosts: ReadonlySet<string>): boolean => host === null || hosts.has(host);

/**
 * Whether a rule says the same as the stored one. Addresses of another site must also be sent alike: their case,
 * extension and fragment may matter there, as they do not for a page of this site. Files of most servers cannot have
 * dates: a rule without dates keeps those of the stored rule.
 */
function isSame(before: RuleRow, rule: RuleInput, hosts: ReadonlySet<string>): boolean {
  const { target, targetHost } = rule;
  const isDated = rule.valid_from !== null || rule.valid_until !== null;
  const dates = isDated ? {} : { valid_from: before.valid_from, valid_until: before.valid_until };
  return (
    rulesEqual(before, { ...rule, ...dates }) && (isOwn(targetHost, hosts) || asSent(before.target) === asSent(target))
  );
}

/** A target as browsers send it, so that two spellings of it are one. */
const asSent = (target: string | null): string => encodeTarget(target ?? '');

/** Counts the wildcards and patterns that the project may still get. */
export async function countRoom(trx: Trx, projectId: string): Promise<number> {
  const count = await query(sql<{ count: number }>`
    select count(*)::int as count from pathmend.rules
     where project_id = ${projectId} and (prefix is not null or pattern_start is not null)`).value(trx, 'count', 0);
  return MAX_WILDCARDS - count;
}

/** Finds those of the rules that lead to one page which the project does not have. Keys are in hexadecimal. */
async function findWaiting(trx: Trx, projectId: string, keys: readonly Buffer[]): Promise<Set<string>> {
  const waiting = await query(sql<{ key: string }>`
    select encode(r.rule_key, 'hex') as key from pathmend.rules r
     where r.project_id = ${projectId} and r.rule_key = any (${keys}::bytea[]) and r.target_key is not null
       and not exists (${selectTargetOf(projectId)})`).column(trx, 'key');
  return new Set(waiting);
}

/** Stores rules, and replaces stored rules with the same keys; the keys of `rules` must differ. */
export async function writeRules(
  trx: Trx,
  projectId: string,
  rules: readonly (RuleInput & { made: RuleProvenance })[],
): Promise<void> {
  if (rules.length === 0) return;
  const hex = (value: Buffer | null): string | null => value?.toString('hex') ?? null;
  const rows = rules.map(({ key, plainKey, folder, targetKey, targetBareKey, targetHash, made, ...rule }) => ({
    ...rule,
    ...made,
    keys: [key, plainKey, folder, targetKey, targetHash, targetBareKey].map(hex),
    spellings: addSpellings(rule.prefix === null ? rule.path : rule.path.slice(0, -1), [], rule.spellings),
  }));
  await sql`
    insert into pathmend.rules
      (project_id, rule_key, path, spellings, prefix, folder_hash, action, target, target_key, target_path, target_host,
       target_hash, target_bare_key, new_prefix, origin, made_by, made_at, confidence, host, plain_key, pattern_start, code, pass_query,
       valid_from, valid_until)
    select ${projectId}::uuid, decode(i.keys[1], 'hex'), i.path, i.spellings, i.prefix, decode(i.keys[3], 'hex'), i.action,
           i.target, decode(i.keys[4], 'hex'), i."targetPath", i."targetHost", decode(i.keys[5], 'hex'), decode(i.keys[6], 'hex'), i."newPrefix",
           i.origin, i.by, i.at, i.confidence, i.host, decode(i.keys[2], 'hex'), i."patternStart", i.code,
           i.pass_query, i.valid_from, i.valid_until
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i
           (keys text[], path text, spellings text[], prefix text, action text, target text, "targetPath" text,
            "targetHost" text, "newPrefix" text, origin text, by text, at timestamptz, confidence float8, host text,
            "patternStart" text, code smallint, pass_query boolean, valid_from timestamptz, valid_until timestamptz)
     order by i.keys[1]
    on conflict (project_id, rule_key) do update set
      prefix = excluded.prefix, pattern_start = excluded.pattern_start, path = excluded.path,
      spellings = excluded.spellings, folder_hash = excluded.folder_hash, action = excluded.action, target = excluded.target,
      target_key = excluded.target_key, target_bare_key = excluded.target_bare_key, target_path = excluded.target_path,
      target_host = excluded.target_host, target_hash = excluded.target_hash, new_prefix = excluded.new_prefix,
      origin = excluded.origin, made_by = excluded.made_by, made_at = excluded.made_at, confidence = excluded.confidence,
      code = excluded.code, pass_query = excluded.pass_query, valid_from = excluded.valid_from,
      valid_until = excluded.valid_until`.execute(trx);
}

/** Deletes the rules with these keys. */
export async function deleteRules(trx: Trx, projectId: string, keys: readonly Buffer[]): Promise<void> {
  await sql`
    delete from pathmend.rules where project_id = ${projectId} and rule_key = any (${keys}::bytea[])`.execute(trx);
}

/** Deletes the rules that mark these paths as gone, since they have pages now. */
export async function deleteGone(trx: Trx, projectId: string, pathKeys: readonly Buffer[]): Promise<void> {
  await sql`
    delete from pathmend.rules
     where project_id = ${projectId} and rule_key = any (${pathKeys}::bytea[]) and action = 'gone'`.execute(trx);
}
