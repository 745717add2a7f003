import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { ApiError, invalid } from '../../base/errors.js';
import { toRule, type RuleInput } from '../rule-keys.js';
import { MAX_RULES, storeRules, MAX_WILDCARDS } from '../store/store-rules.js';
import { emptyReport, type RedirectReport, OverwrittenRules, replacedBy } from './redirect-report.js';
import { readRedirect } from '../../rule-formats/read-redirect.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import { type RedirectFormat, readRulesOf } from '../../rule-formats/read/redirect-file.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { lockRedirects } from '../../projects/turns.js';
import type { RuleOrigin } from '../../base/glossary.js';
import { rulesEqual } from '../rule-meaning.js';

/**
 * Stores the redirects of a file in any format of {@link RedirectFile}. When rules, wildcards included, share an old
 * path, the last one counts; an earlier one with another meaning is reported. Bad lines, and targets that are not
 * pages, are reported and do not stop the import.
 * @param deps.read reads the file; `readRulesInThread` takes no time of this thread.
 * @param format the format of the file; if absent, it is detected from the file's name and lines
 * @param columns the meanings of columns whose names are not known
 * @throws OperatorError if the rules of the file's server can only be written, or `readRulesOf` refuses its columns
 */
export async function importRules(
  { db, clock, read = readRulesOf }: { db: Db; clock: Clock; read?: typeof readRulesOf },
  projectId: string,
  file: string,
  onProgress: (lines: number) => void,
  format?: RedirectFormat,
  columns?: ColumnNames,
): Promise<RedirectReport> {
  const deps: StoreDeps = { db, clock, origin: 'import' };
  const report = emptyReport();
  let batch = new Map<string, ImportedRule>();
  const wildcards = new WildcardBatch(report);
  const overwritten = new OverwrittenRules(report.overwritten);
  let line = 0;
  const flush = async (): Promise<void> => {
    if (batch.size > 0) await storeBatch(deps, projectId, [...batch.values()], report);
    batch = new Map();
    onProgress(line);
  };
  for await (const rule of read(file, format, () => line++, columns)) {
    if (rule.kind === 'nothing') report.not_read.push(...(rule.unread ?? []));
    if (rule.kind === 'undecided') report.review++;
    const says = readRedirect(rule);
    if (!says) continue;
    if ('refused' in says) report.bad.push({ line: rule.line, reason: says.refused });
    else
      try {
        const made = toRule(says);
        if (made.kind !== 'exact') wildcards.add(rule.line, made);
        const address = 'from' in rule && /^https?:/i.test(rule.from) ? rule.from : undefined;
        const isSame = overwritten.add(rule.line, made, address);
        if (made.kind === 'exact') addLine(batch, { line: rule.line, rule: made }, isSame);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report.bad.push({ line: rule.line, reason: error.message });
      }
    if (batch.size >= MAX_RULES) await flush();
  }
  await flush();
  await wildcards.store(deps, projectId);
  report.bad.sort((a, b) => a.line - b.line);
  return report;
}

/** The maximum number of replaced rules that an entry of the audit log names. */
const MAX_NAMED = 3;

/** Says in words what an import did, for the audit log. */
export function summarizeImport({ created, updated, gone, replaced }: RedirectReport): string {
  const named = replaced.slice(0, MAX_NAMED).map(({ path, before, after }) => `${path}: ${before}, now ${after}`);
  const replacing = replaced.length === 0 ? '' : `; ${replaced.length} replaced: ${named.join('; ')}`;
  return `${created} new, ${updated} changed, ${gone} gone${replacing}`;
}

interface StoreDeps {
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
