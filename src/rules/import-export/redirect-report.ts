import type { RuleRow } from '../store/rules.js';
import type { RuleInput } from '../rule-keys.js';
import { listedTermsOf, rulesEqual, type RuleMeaning } from '../rule-meaning.js';

/** A line of the file, and what is wrong with it. */
export interface ReportedLine {
  line: number;
  reason: string;
}

/** A stored rule that another one took the place of, and what both say. */
export interface ReplacedRule extends ReportedLine {
  path: string;
  /** Their targets; `gone` and `ignored` where there is none. */
  before: string;
  after: string;
}

export interface RedirectReport {
  created: number;
  updated: number;
  unchanged: number;
  /** Stored as gone for good; those that were already are unchanged. */
  gone: number;
  /** Rows of `redirects map` that are to be reviewed; not stored. */
  review: number;
  /** Stored as not worth a redirect; those that were already are unchanged. */
  ignored: number;
  /** Stored; inactive until their target is a page of the project. */
  without_page: ReportedLine[];
  /** Rules that were stored before and had another meaning. */
  replaced: ReplacedRule[];
  /** Not stored: a later row of the file has the same old path, and leads elsewhere. */
  overwritten: ReportedLine[];
  /** Not stored. */
  bad: ReportedLine[];
  /** Columns of the file of which nothing is stored. */
  not_read: string[];
}

export function emptyReport(): RedirectReport {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    gone: 0,
    review: 0,
    ignored: 0,
    without_page: [],
    replaced: [],
    overwritten: [],
    bad: [],
    not_read: [],
  };
}

/** Why nothing came of a file, and no line of it was refused; undefined: something did. */
export function explainEmptyImport(report: RedirectReport): string | undefined {
  const { created, updated, unchanged, gone, ignored, review, without_page, bad } = report;
  if (created + updated + unchanged + gone + ignored + without_page.length + bad.length > 0) return undefined;
  return review > 0
    ? `has no rule that is decided: ${review} rows are marked review`
    : 'has no rule that is in force and is read here: it is empty, holds comments or rules that are switched off, or is in another format (--format names it)';
}

type End = Pick<RuleRow, 'action' | 'target'>;

/** @param path as the new rule has it */
export function replacedBy(line: number, path: string, was: End & { path: string }, now: End): ReplacedRule {
  const [before, after] = [was, now].map(({ action, target }) => target ?? (action === 'gone' ? 'gone' : 'ignored'));
  const reason = `the rule ${was.path} to ${before ?? ''} is replaced by ${path} to ${after ?? ''}`;
  return { line, path: was.path, before: before ?? '', after: after ?? '', reason };
}

/** Rules that are remembered, some 60 MB. An export takes half as many. */
const MAX_REMEMBERED = 200_000;

interface ReportedRule {
  line: number;
  text: string;
  meaning: RuleMeaning;
}

/**
 * Finds rules of one file of which the later one takes the place of the earlier, and says something else: paths that
 * differ in case, extension or separators are one. Of a longer file, the last {@link MAX_REMEMBERED} are compared.
 */
export class OverwrittenRules {
  readonly #said = new Map<string, ReportedRule>();
  readonly #found: ReportedLine[];

  /** @param found takes the earlier rules */
  constructor(found: ReportedLine[]) {
    this.#found = found;
  }

  /**
   * @param from the old path as it was written, where it has a host
   * @returns whether the earlier rule of this path, if there is one, says the same
   */
  add(line: number, rule: RuleInput, from = rule.path): boolean {
    const { path, kind, action, target } = rule;
    const now = { line, text: textOf(rule, from), meaning: { path, kind, action, target, ...listedTermsOf(rule) } };
    const key = rule.key.toString('hex');
    const before = this.#said.get(key);
    // The last one is the youngest.
    this.#said.delete(key);
    this.#said.set(key, now);
    if (this.#said.size > MAX_REMEMBERED) this.#said.delete(this.#said.keys().next().value ?? '');
    if (!before || rulesEqual(before.meaning, now.meaning)) return true;
    this.#found.push({
      line: before.line,
      reason: `${before.text} is overwritten by ${line === 0 ? '' : `line ${line}, `}${now.text}: paths that differ only in case, extension or separators are one, and have one rule`,
    });
    return false;
  }
}

function textOf({ prefix, action, target }: RuleInput, from: string): string {
  const written = prefix !== null && !from.endsWith('*') ? `${from}*` : from;
  return `${written} ${target === null ? `(${action === 'gone' ? 'gone' : 'ignored'})` : `to ${target}`}`;
}
