import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { ApiError } from '../../base/errors.js';
import { toRule } from '../rule-keys.js';
import { MAX_RULES } from '../store/store-rules.js';
import { emptyReport, type RedirectReport, OverwrittenRules } from './redirect-report.js';
import { addLine, storeBatch, type ImportedRule, type StoreDeps, WildcardBatch } from './store-batch.js';
import { readRedirect } from '../../rule-formats/read-redirect.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import { type RedirectFormat, readRulesOf } from '../../rule-formats/read/redirect-file.js';

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
