import type { RuleRow } from '../store/rules.js';

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
  /** Wildcards and patterns that say what the project's redirects say; unchanged, and not stored. */
  compiled: number;
  /** Stored; inactive until their target is a page of the project. */
  without_page: ReportedLine[];
  /** Rules that were stored before and said something else. */
  replaced: ReplacedRule[];
  /** Not stored: a later row of the file has the same old path, and leads elsewhere. */
  overwritten: ReportedLine[];
  /** Not stored. */
  bad: ReportedLine[];
}

export function emptyReport(): RedirectReport {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    gone: 0,
    review: 0,
    ignored: 0,
    compiled: 0,
    without_page: [],
    replaced: [],
    overwritten: [],
    bad: [],
  };
}

/** Why nothing came of a file, and no line of it was refused; undefined: something did. */
export function whyNothing(report: RedirectReport): string | undefined {
  const { created, updated, unchanged, gone, ignored, review, without_page, bad } = report;
  if (created + updated + unchanged + gone + ignored + without_page.length + bad.length > 0) return undefined;
  return review > 0
    ? `has no rule that is decided: ${review} rows are marked review`
    : 'has no rule that is in force and is read here: it is empty, holds comments or rules that are switched off, or is in another format (--format names it)';
}

type Says = Pick<RuleRow, 'action' | 'target'>;

/** @param path as the new rule has it */
export function replacedBy(line: number, path: string, was: Says & { path: string }, now: Says): ReplacedRule {
  const [before, after] = [was, now].map(({ action, target }) => target ?? (action === 'gone' ? 'gone' : 'ignored'));
  const reason = `the rule ${was.path} to ${before ?? ''} is replaced by ${path} to ${after ?? ''}`;
  return { line, path: was.path, before: before ?? '', after: after ?? '', reason };
}
