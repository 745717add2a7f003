import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { ApiError } from '../../base/errors.js';
import { toRule } from '../rule-keys.js';
import { compiledFrom, type CompiledRules } from '../../rule-formats/own-exports.js';
import { MAX_RULES } from '../store/store-rules.js';
import type { ListedRule } from '../store/rules.js';
import { emptyReport, type RedirectReport, OverwrittenRules } from './redirect-report.js';
import { FollowedEnds } from './followed-ends.js';
import { endOf, oldPathOf, storeBatch, type ImportedLine, type StoreDeps, WildcardBatch } from './store-batch.js';
import { readRedirect } from '../../rule-formats/read-redirect.js';
import { patternText, type LocatedRule } from '../../rule-formats/read/read-rule.js';
import { type RedirectFormat, readRulesOf } from '../../rule-formats/read/redirect-file.js';
import { readRedirects, rulesBehind } from './rules-for-servers.js';

/** What an export makes of a project's rules. */
interface OwnExports {
  compiled: CompiledRules;
  ends: FollowedEnds;
}

/**
 * Stores the redirects of a file in any format of {@link RedirectFile}. When rules share an old path, the last one
 * counts; of wildcards, too; an earlier one that says something else is reported. Bad lines, and targets that are no
 * pages, are reported and do not stop the import.
 * @param deps.own what an export makes of the rules that the project has: read back, that changes none.
 * @param deps.read how a file is read; `readRulesInThread` takes no time of this thread.
 * @param format else by the file's name and lines.
 */
export async function importRedirects(
  deps: { db: Db; clock: Clock; own?: () => Promise<OwnExports>; read?: typeof readRulesOf },
  projectId: string,
  file: string,
  onProgress: (lines: number) => void,
  format?: RedirectFormat,
): Promise<RedirectReport> {
  const { db, clock, read = readRulesOf } = deps;
  const storeDeps: StoreDeps = { db, clock, origin: 'import' };
  const report = emptyReport();
  let batch = new Map<string, ImportedLine>();
  const wildcards = new WildcardBatch(report);
  const overwritten = new OverwrittenRules(report.overwritten);
  // An export may have made them of single redirects.
  const patterns: { line: number; text: string; refused?: string; key?: string }[] = [];
  let line = 0;
  // Lines of paths whose stored rule leads over another: an export says where that ends.
  const chained = new Map<string, ImportedLine>();
  const setsAside = (one: ImportedLine, was: ListedRule): boolean => {
    const isChained = deps.own !== undefined && was.action === 'redirect' && !was.active;
    if (isChained) chained.set(was.key, one);
    return isChained;
  };
  const flush = async (): Promise<void> => {
    for (const key of batch.keys()) chained.delete(key);
    if (batch.size > 0) await storeBatch({ ...storeDeps, setsAside }, projectId, [...batch.values()], report);
    batch = new Map();
    onProgress(line);
  };
  for await (const rule of read(file, format, () => line++)) {
    if (rule.kind === 'undecided') report.review++;
    const says = readRedirect(rule);
    if (!says) continue;
    if ('refused' in says) {
      if (rule.kind === 'skipped' && rule.reason === 'pattern' && deps.own)
        patterns.push({ line: rule.line, text: rule.text, refused: says.refused });
      else report.bad.push({ line: rule.line, reason: says.refused });
    } else if ('keepsRest' in says || 'pattern' in says || ('below' in says && says.below)) {
      try {
        const made = wildcards.add(rule.line, says);
        overwritten.add(rule.line, made, hostOf(rule));
        const key = made.key.toString('hex');
        if (rule.kind === 'pattern') patterns.push({ line: rule.line, text: patternText(rule), key });
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
  if (deps.own && wildcards.size + patterns.length + chained.size > 0) {
    const { compiled, ends } = await deps.own();
    const written = new Set<string>();
    // Single redirects next to their wildcard make it intentional: no export has both.
    for await (const rule of read(file, format, () => undefined))
      if (rule.kind === 'redirect') for (const path of compiled.wildcardsOf(rule.from)) written.add(path);
    const said = new Set(
      wildcards.redirects.filter((one) => {
        const path = compiled.findWildcard(one);
        return path !== undefined && !written.has(path);
      }),
    );
    wildcards.leaveOut(said);
    const known = await compiled.findPatterns(new Set(patterns.map(({ text }) => text)));
    for (const { line: at, text, refused } of patterns)
      if (refused !== undefined && !known.has(text)) report.bad.push({ line: at, reason: refused });
    wildcards.leaveOutKeys(patterns.flatMap(({ text, key }) => (key !== undefined && known.has(text) ? [key] : [])));
    report.compiled = said.size + patterns.filter(({ text }) => known.has(text)).length;
    report.unchanged += report.compiled;
    const isSame = wildcards.leaveOutIf((path, rule) => ends.hasBelow(path, rule));
    const others = [...chained.values()].filter(
      ({ says, spellings = [] }) =>
        !isSame || ![oldPathOf(says), ...spellings].every((path) => ends.has(path, endOf(says))),
    );
    report.unchanged += chained.size - others.length;
    for (let at = 0; at < others.length; at += MAX_RULES)
      await storeBatch(storeDeps, projectId, others.slice(at, at + MAX_RULES), report);
  }
  await wildcards.store(storeDeps, projectId);
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
  else batch.set(key, { ...before, spellings: [...(before.spellings ?? []), oldPathOf(says)] });
}

/** The old path of a rule as it was written, if that has a host. */
function hostOf(rule: LocatedRule): string | undefined {
  return 'from' in rule && /^https?:/i.test(rule.from) ? rule.from : undefined;
}

/**
 * Imports a file of rules. What an export made of the project's own redirects changes nothing.
 * @throws OperatorError if there are too many, or the file has no rules
 */
export function importRules(
  deps: { db: Db; clock: Clock; read?: typeof readRulesOf },
  projectId: string,
  file: string,
  onProgress: (lines: number) => void,
  format?: RedirectFormat,
): Promise<RedirectReport> {
  const own = async (): Promise<OwnExports> => {
    const rules = await readRedirects(deps.db, projectId);
    const compiled = await compiledFrom(rules.known, rules.wildcards, rulesBehind(rules));
    return { compiled, ends: await FollowedEnds.of(rules) };
  };
  const { db, clock, read = readRulesOf } = deps;
  return importRedirects({ db, clock, read, own }, projectId, file, onProgress, format);
}

/** Replaced rules that an entry of the audit log names. */
const MAX_NAMED = 3;

/** Of an import, for the audit log. */
export function summarizeImport({ created, updated, gone, replaced }: RedirectReport): string {
  const named = replaced.slice(0, MAX_NAMED).map(({ path, before, after }) => `${path}: ${before}, now ${after}`);
  const said = replaced.length === 0 ? '' : `; ${replaced.length} replaced: ${named.join('; ')}`;
  return `${created} new, ${updated} changed, ${gone} gone${said}`;
}
