import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { ApiError } from '../../base/errors.js';
import { toRule } from '../rule-keys.js';
import { MAX_RULES } from '../store/store-rules.js';
import { emptyReport, type RedirectReport, OverwrittenRules } from './redirect-report.js';
import { storeBatch, type ImportedLine, type StoreDeps, WildcardBatch } from './store-batch.js';
import { readRedirect } from '../../rule-formats/read-redirect.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import type { LocatedRule } from '../../rule-formats/read/read-rule.js';
import { type RedirectFormat, readRulesOf } from '../../rule-formats/read/redirect-file.js';

/**
 * Stores the redirects of a file in any format of {@link RedirectFile}. When rules share an old path, the last one
 * counts; of wildcards, too; an earlier one that says something else is reported. Bad lines, and targets that are no
 * pages, are reported and do not stop the import.
 * @param deps.read reads the file; `readRulesInThread` takes no time of this thread.
 * @param format is else found by the file's name and lines.
 * @param columns the names by which columns are read that are called otherwise
 * @throws OperatorError if the file is of a server whose rules are written alone, or `readRulesOf` refuses its columns
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
  let batch = new Map<string, ImportedLine>();
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
    else if (says.kind !== 'exact') {
      try {
        overwritten.add(rule.line, wildcards.add(rule.line, says), hostOf(rule));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report.bad.push({ line: rule.line, reason: error.message });
      }
    } else {
      const made = toRule(says);
      const isSame = overwritten.add(rule.line, made, hostOf(rule));
      addLine(batch, made.key.toString('hex'), { line: rule.line, says }, isSame);
    }
    if (batch.size >= MAX_RULES) await flush();
  }
  await flush();
  await wildcards.store(deps, projectId);
  report.bad.sort((a, b) => a.line - b.line);
  return report;
}

/** A rule that says the same of another spelling of its path adds that; another one takes the place of the earlier. */
export function addLine(
  batch: Map<string, ImportedLine>,
  key: string,
  { line, says }: ImportedLine,
  isSame: boolean,
): void {
  const before = isSame ? batch.get(key) : undefined;
  if (before === undefined) batch.set(key, { line, says });
  else batch.set(key, { ...before, spellings: [...(before.spellings ?? []), says.path] });
}

/** Gives the old path of a rule as it was written, if that has a host. */
function hostOf(rule: LocatedRule): string | undefined {
  return 'from' in rule && /^https?:/i.test(rule.from) ? rule.from : undefined;
}

/** Replaced rules that an entry of the audit log names. */
const MAX_NAMED = 3;

/** Says in words what an import did, for the audit log. */
export function summarizeImport({ created, updated, gone, replaced }: RedirectReport): string {
  const named = replaced.slice(0, MAX_NAMED).map(({ path, before, after }) => `${path}: ${before}, now ${after}`);
  const replacing = replaced.length === 0 ? '' : `; ${replaced.length} replaced: ${named.join('; ')}`;
  return `${created} new, ${updated} changed, ${gone} gone${replacing}`;
}
