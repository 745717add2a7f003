import { isRedirect, wildcardOf, type ExportGone, type ExportRule, type RuleFormat } from './written-rule.js';
import { sourceOf } from './write-rules.js';

/** Rows hold all terms of a rule, whether it is in force or not. */
export const JSON_ROWS: RuleFormat = {
  head: ['['],
  separator: ',\n',
  foot: [']'],
  isData: true,
  write: (rule) => [JSON.stringify({ path: sourceOf(rule), expected: targetIn(rule), ...fieldsOf(rule) })],
  writeGone: (rule) => {
    const { status = 410, ...fields } = fieldsOf(rule);
    return [JSON.stringify({ path: sourceOf(rule), ...(rule.ignored ? { action: 'ignore' } : { status }), ...fields })];
  },
};

const NAMES = ['host', 'match', 'valid_from', 'valid_until', 'pass_query'] as const;

/** RFC 4180. More columns than three where a rule needs them. */
export function createCsv(rules: readonly (ExportRule | ExportGone)[]): RuleFormat {
  const more = rules.some((rule) => Object.keys(fieldsOf(rule)).some((name) => name !== 'status')) ? NAMES : [];
  const row = (rule: ExportRule | ExportGone, to: string, status: string): string[] => {
    const fields = fieldsOf(rule);
    return [[sourceOf(rule), to, status, ...more.map((name) => String(fields[name] ?? ''))].map(csvCell).join(',')];
  };
  return {
    head: [['old', 'new', 'status', ...more].join(',')],
    isData: true,
    write: (rule) => row(rule, targetIn(rule), String(rule.code ?? 301)),
    writeGone: (rule) => row(rule, '', rule.ignored ? 'ignore' : String(rule.code ?? 410)),
  };
}

function targetIn(rule: ExportRule): string {
  return rule.pattern ? rule.to : wildcardOf(rule).to;
}

interface Fields {
  status?: number;
  host?: string;
  match?: 'pattern';
  valid_from?: string;
  valid_until?: string;
  pass_query?: true;
}

function fieldsOf(rule: ExportRule | ExportGone): Fields {
  const { host, code, passQuery, validFrom, validUntil, pattern } = rule;
  return {
    ...(code === undefined || (isRedirect(rule) && code === 301) ? {} : { status: code }),
    ...(host === undefined ? {} : { host }),
    ...(pattern ? { match: 'pattern' } : {}),
    ...(validFrom === undefined ? {} : { valid_from: validFrom }),
    ...(validUntil === undefined ? {} : { valid_until: validUntil }),
    ...(passQuery ? { pass_query: true } : {}),
  };
}

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
