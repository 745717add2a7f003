import type { Clock } from '../../base/clock.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { lockRedirects } from '../../projects/turns.js';
import { storeRules, MAX_WILDCARDS } from '../store/store-rules.js';
import type { RuleOrigin } from '../../base/glossary.js';
import type { RuleInput } from '../rule-keys.js';
import { rulesEqual } from '../rule-meaning.js';
import { replacedBy, type RedirectReport } from './redirect-report.js';
import { invalid } from '../../base/errors.js';

export interface StoreDeps {
  db: Db;
  clock: Clock;
  origin: RuleOrigin;
}

export interface ImportedRule {
  line: number;
  rule: RuleInput;
}

/** Stores at most `MAX_RULES` rules of single paths, and counts the outcomes in the report. */
export async function storeBatch(
  deps: StoreDeps,
  projectId: string,
  rules: readonly ImportedRule[],
  report: RedirectReport,
): Promise<void> {
  for (const { line, rule, outcome, before, waits } of await storeImported(deps, projectId, rules)) {
    if (before && outcome !== 'unchanged') report.replaced.push(replacedBy(line, rule.path, before, rule));
    if (waits)
      report.without_page.push({
        line,
        reason: `the project has no page ${rule.target ?? ''}; the redirect waits for it`,
      });
    else if (outcome === 'unchanged') report.unchanged++;
    else if (rule.action === 'redirect') report[outcome === 'updated' ? 'updated' : 'created']++;
    else report[rule.action === 'gone' ? 'gone' : 'ignored']++;
  }
}

/**
 * Adds a rule of a single path to a batch. If it says the same as an earlier rule for another spelling of the path, the
 * earlier rule gets the spelling; else it replaces the earlier rule.
 */
export function addLine(batch: Map<string, ImportedRule>, added: ImportedRule, isSame: boolean): void {
  const key = added.rule.key.toString('hex');
  const { line, rule } = (isSame ? batch.get(key) : undefined) ?? added;
  const spellings = rule === added.rule ? [] : [...rule.spellings, added.rule.path];
  batch.set(key, { line, rule: { ...rule, spellings } });
}

function storeImported({ db, clock, origin }: StoreDeps, projectId: string, rules: readonly ImportedRule[]) {
  return inTransaction(db, async (trx) => {
    await lockRedirects(trx, projectId);
    const stored = await storeRules(trx, projectId, rules, { origin, by: null, at: new Date(clock.now()) });
    if (stored.some(({ outcome }) => outcome === 'created' || outcome === 'updated'))
      await bumpIndexVersion(trx, projectId);
    return stored;
  });
}

/** The wildcards and patterns of one source. Of several for the same paths, the last one counts. */
export class WildcardBatch {
  readonly #report: RedirectReport;
  readonly #all = new Map<string, ImportedRule>();

  constructor(report: RedirectReport) {
    this.#report = report;
  }

  /** @throws ApiError if there are too many wildcards and patterns */
  add(line: number, rule: RuleInput): void {
    const key = rule.key.toString('hex');
    if (this.#all.size >= MAX_WILDCARDS && !this.#all.has(key))
      throw invalid('path', `more than ${MAX_WILDCARDS} wildcards and patterns`);
    const before = this.#all.get(key)?.rule;
    const isSame = before !== undefined && rulesEqual(before, rule);
    const spellings = isSame && rule.prefix !== null ? [...before.spellings, before.path.slice(0, -1)] : [];
    this.#all.set(key, { line, rule: { ...rule, spellings } });
  }

  async store(deps: StoreDeps, projectId: string): Promise<void> {
    if (this.#all.size === 0) return;
    for (const { line, rule, outcome, before } of await storeImported(deps, projectId, [...this.#all.values()])) {
      if (before && outcome === 'updated') this.#report.replaced.push(replacedBy(line, rule.path, before, rule));
      if (outcome !== 'full') this.#report[outcome]++;
      else this.#report.bad.push({ line, reason: `a project may have ${MAX_WILDCARDS} wildcards and patterns` });
    }
  }
}
