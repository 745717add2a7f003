import { isRedirect, wildcardOf, type AnyRule, type RuleFormat } from './written-rule.js';
import { sourceOf } from './write-rules.js';

/** Rows hold all terms of a rule, whether it is in force or not. */
export const JSON_ROWS: RuleFormat = {
  head: ['['],
  separator: ',\n',
  foot: [']'],
  isData: true,
  write: (rule) => {
    const { to: expected, status, ...fields } = rowOf(rule);
    const answer =
      status === 'ignore'
        ? { action: status }
        : status === 301 && isRedirect(rule)
          ? { expected }
          : { expected, status };
    return [JSON.stringify({ path: sourceOf(rule), ...answer, ...fields })];
  },
};

const NAMES = ['host', 'match', 'valid_from', 'valid_until', 'pass_query'] as const;

/** Writes CSV (RFC 4180), with more columns than three if a rule needs them. */
export function createCsv(rules: readonly AnyRule[]): RuleFormat {
  const more = rules.map(rowOf).some((row) => NAMES.some((name) => row[name] !== undefined)) ? NAMES : [];
  return {
    head: [['old', 'new', 'status', ...more].join(',')],
    isData: true,
    write: (rule) => {
      const row = rowOf(rule);
      const cells = [sourceOf(rule), row.to, row.status, ...more.map((name) => row[name])];
      return [cells.map((cell) => csvCell(String(cell ?? ''))).join(',')];
    },
  };
}

function rowOf(rule: AnyRule) {
  const { host, code, passQuery, validFrom, validUntil, pattern } = rule;
  const answer = isRedirect(rule)
    ? { to: pattern ? rule.to : wildcardOf(rule).to, status: code ?? 301 }
    : { to: undefined, status: rule.ignored ? ('ignore' as const) : (code ?? 410) };
  const match = pattern && 'pattern';
  return { ...answer, host, match, valid_from: validFrom, valid_until: validUntil, pass_query: passQuery };
}

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
