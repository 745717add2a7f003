import type { LintNote } from '../lint-redirects.js';
import { formatSource } from '../read/source-address.js';
import { partsInQuery } from './regular-expressions.js';
import {
  inOrder,
  isRedirect,
  type AnyRule,
  type ExportGone,
  type ExportRule,
  type Lines,
  type Matching,
  type RuleFormat,
} from './written-rule.js';

export interface Written {
  text: string;
  /** Rules that the server cannot have, and why. */
  unfit: { rule: AnyRule; reason: string }[];
  /**
   * The notes name rules that are not in the text because they do not hold now, and terms that the server cannot have.
   */
  notes: LintNote[];
}

export interface WriteOptions extends Matching {
  /** The time of the export: a server gets no rule that has ended, or that it would obey too early. */
  now?: Date;
}

/**
 * Writes rules of one path before wildcards, which they overrule. Rules with a host come first, and rules with a query
 * string before those without.
 * @param gone addresses that are gone for good
 */
export function writeRules(
  format: RuleFormat,
  rules: readonly ExportRule[],
  gone: readonly ExportGone[] = [],
  { now = new Date(), anyCase = false }: WriteOptions = {},
): Written {
  // Two spellings may be one address to a server (`/a//b`, `/a/b`): nginx refuses a file that has it twice.
  const written = new Map<string, string>();
  const unfit: Written['unfit'] = [];
  const notes: LintNote[] = [];
  if (anyCase && format.byCase !== undefined)
    notes.push({ kind: 'not said', path: '/*', detail: format.byCase, isLeftOut: false });
  const counts = { exact: 0, wildcards: 0 };
  const { max } = format;
  for (const rule of [...gone, ...rules].sort(inOrder)) {
    const past = format.isData ? undefined : outOfTime(rule, now, format.hasDates);
    if (past) {
      notes.push({ path: sourceOf(rule), isLeftOut: true, ...past });
      continue;
    }
    const kind = rule.rest || rule.pattern ? 'wildcards' : 'exact';
    const lines = linesOf(format, rule, written.size + 1);
    if ('reason' in lines) unfit.push({ rule, reason: lines.reason });
    else if (max && (counts[kind] >= max[kind] || written.size >= (max.all ?? Infinity)))
      unfit.push({ rule, reason: max.reason });
    else {
      counts[kind]++;
      const text = lines.join('\n');
      const ends = endWithoutClock(format, rule);
      if (!written.has(text)) written.set(text, ends === undefined ? text : commentOf(format, ends) + text);
      for (const detail of [...(ends === undefined ? [] : [ends]), ...unsaid(format, rule)])
        notes.push({ kind: 'not said', path: sourceOf(rule), detail, isLeftOut: false });
    }
  }
  const body = [...written.values()].join(format.separator ?? '\n');
  const foot = typeof format.foot === 'function' ? format.foot(written.size) : (format.foot ?? []);
  const text = [...format.head, ...(body === '' ? [] : [body]), ...foot, ''].join('\n');
  return { text, unfit, notes };
}

function linesOf(format: RuleFormat, rule: AnyRule, number: number): Lines {
  const { codes, noHosts } = format;
  if (rule.host !== undefined && noHosts !== undefined) return { reason: noHosts };
  const code = rule.code ?? (isRedirect(rule) ? 301 : 410);
  const isKnown = codes?.includes(code) ?? true;
  const unknown = { reason: `this server answers no ${code} by a rule` };
  if (!format.redirectsAlone) return isKnown ? format.write(rule, number) : unknown;
  if (!isRedirect(rule)) return { reason: `this server has no rule for what is gone (${code})` };
  return isKnown ? format.write(rule, number) : unknown;
}

function outOfTime(
  { validFrom, validUntil }: AnyRule,
  now: Date,
  hasDates = false,
): Pick<LintNote, 'kind' | 'detail'> | undefined {
  if (validUntil !== undefined && new Date(validUntil) <= now)
    return { kind: 'ended', detail: `held until ${validUntil}` };
  return !hasDates && validFrom !== undefined && new Date(validFrom) > now
    ? { kind: 'not yet', detail: `holds from ${validFrom} on: export again then` }
    : undefined;
}

const UNENCODED =
  'no path with & = + or ; in what the query string of the new address takes of it: servers encode none';

/** Describes when a rule ends, for a server that compares no times. */
function endWithoutClock({ hasDates, isData }: RuleFormat, { validUntil }: AnyRule): string | undefined {
  if (validUntil === undefined || hasDates || isData) return undefined;
  return `ends on ${validUntil}, which this server does not know: export again then`;
}

/** Writes a line in front of a rule; nothing if the format has no comments. */
function commentOf({ head: [first = ''] }: RuleFormat, text: string): string {
  return first.startsWith('#') ? `# ${text}\n` : first.startsWith('<') ? `        <!-- ${text} -->\n` : '';
}

/** Lists what else a server does not do for a rule that it has. */
function unsaid({ isData, keepsOwnQuery }: RuleFormat, rule: AnyRule): string[] {
  return [
    ...(isRedirect(rule) && rule.passQuery && keepsOwnQuery !== undefined && rule.to.includes('?')
      ? [keepsOwnQuery]
      : []),
    ...(isData || partsInQuery(rule).length === 0 ? [] : [UNENCODED]),
  ];
}

/** The old address of a rule as it is written in a file. */
export function sourceOf(rule: AnyRule): string {
  return formatSource(rule.rest && !rule.pattern ? { ...rule, path: `${rule.path}*` } : rule);
}
