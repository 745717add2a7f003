import type { RuleRow } from '../store/rules.js';
import type { RuleInput } from '../rule-keys.js';
import { listedTermsOf, rulesEqual, type RuleMeaning } from '../rule-meaning.js';

/** A line of the file, and what is wrong with it. */
export interface ReportedLine {
  line: number;
  reason: string;
}

/** A stored rule that a rule of the file replaced, and the targets of both. */
export interface ReplacedRule extends ReportedLine {
  path: string;
  /** The target before and after; `gone` or `ignored` for a rule without a target. */
  before: string;
  after: string;
}

export type RedirectReport = ReturnType<typeof emptyReport>;

export function emptyReport() {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    /** The number of paths that were stored as gone; those that were gone before count as unchanged. */
    gone: 0,
    /** The number of rows of `redirects map` that still need a review. They are not stored. */
    review: 0,
    /** The number of paths that were stored as not worth a redirect; those that were so before count as unchanged. */
    ignored: 0,
    /** Redirects that were stored, and stay inactive until their target is a page of the project. */
    without_page: [] as ReportedLine[],
    /** Rules that were stored before and had another meaning. */
    replaced: [] as ReplacedRule[],
    /** Rules that were not stored: a later row of the file has the same old path, and leads elsewhere. */
    overwritten: [] as ReportedLine[],
    /** Lines that were not stored, and what is wrong with them. */
    bad: [] as ReportedLine[],
    /** Columns of the file of which nothing is stored. */
    not_read: [] as string[],
  };
}

/**
 * Explains why a file stored nothing, although none of its lines was refused; undefined: there is nothing to explain.
 */
export function explainEmptyImport(report: RedirectReport): string | undefined {
  const { created, updated, unchanged, gone, ignored, review, without_page, bad } = report;
  if (created + updated + unchanged + gone + ignored + without_page.length + bad.length > 0) return undefined;
  return review > 0
    ? `has no rule that is decided: ${review} rows are marked review`
    : 'has no rule that is in force and is read here: it is empty, holds comments or rules that are switched off, or is in another format (--format names it)';
}

type End = Pick<RuleRow, 'action' | 'target'>;
const nameEnd = ({ action, target }: End): string => target ?? (action === 'gone' ? 'gone' : 'ignored');

/** @param path the old path as the new rule spells it */
export function replacedBy(line: number, path: string, stored: End & { path: string }, now: End): ReplacedRule {
  const [before, after] = [nameEnd(stored), nameEnd(now)];
  const reason = `the rule ${stored.path} to ${before} is replaced by ${path} to ${after}`;
  return { line, path: stored.path, before, after, reason };
}

/** The maximum number of rules that are remembered, which take some 60 MB. An export takes half as many. */
const MAX_REMEMBERED = 200_000;

interface ReportedRule {
  line: number;
  text: string;
  meaning: RuleMeaning;
}

/**
 * Finds rules of one file that a later rule of the file replaces with another meaning: paths that differ only in case,
 * extension or separators are one. Of a longer file, the last {@link MAX_REMEMBERED} rules are compared.
 */
export class OverwrittenRules {
  readonly #latest = new Map<string, ReportedRule>();
  readonly #overwritten: ReportedLine[];

  /** @param overwritten gets the earlier rules */
  constructor(overwritten: ReportedLine[]) {
    this.#overwritten = overwritten;
  }

  /**
   * @param from the old path as it was written, if it has a host
   * @returns whether this path has no earlier rule, or one that says the same
   */
  add(line: number, rule: RuleInput, from = rule.path): boolean {
    const { path, kind, action, target } = rule;
    const now = { line, text: textOf(rule, from), meaning: { path, kind, action, target, ...listedTermsOf(rule) } };
    const key = rule.key.toString('hex');
    const before = this.#latest.get(key);
    // Deleted and set again, the key is the last of the map; the first one is the oldest.
    this.#latest.delete(key);
    this.#latest.set(key, now);
    if (this.#latest.size > MAX_REMEMBERED) this.#latest.delete(this.#latest.keys().next().value ?? '');
    if (!before || rulesEqual(before.meaning, now.meaning)) return true;
    this.#overwritten.push({
      line: before.line,
      reason: `${before.text} is overwritten by ${line === 0 ? '' : `line ${line}, `}${now.text}: paths that differ only in case, extension or separators are one, and have one rule`,
    });
    return false;
  }
}

function textOf(rule: RuleInput, from: string): string {
  const written = rule.prefix !== null && !from.endsWith('*') ? `${from}*` : from;
  return `${written} ${rule.target === null ? `(${nameEnd(rule)})` : `to ${rule.target}`}`;
}
