import type { Db } from '../database/db.js';
import { formatSource } from '../moves/redirect-files/address.js';
import { compileRules } from '../moves/redirect-rules/compile.js';
import { writeFormat, type ExportFormat } from '../moves/redirect-rules/formats.js';
import type { LintNote } from '../moves/redirect-rules/lint.js';
import { pageUrls, readRedirects } from './known-redirects.js';

export interface Exported {
  text: string;
  redirects: number;
  gone: number;
  /** In the text. */
  rules: number;
  notes: LintNote[];
  /** What the format cannot have. */
  left: { path: string; to: string | null; reason: string }[];
}

/**
 * A project's redirects as rules of a web server, or as data.
 * @param literal one rule for each redirect, without wildcards in their place
 * @throws OperatorError if there are too many
 */
export async function exportRules(db: Db, projectId: string, format: ExportFormat, literal = false): Promise<Exported> {
  const { known, wildcards, patterns, gone, goneBelow } = await readRedirects(db, projectId);
  // These hold data, not rules that a server obeys.
  const all = format === 'json' || format === 'csv';
  const given = all ? [...wildcards, ...patterns] : wildcards;
  const { rules, notes } = await compileRules(known, given, pageUrls(db, projectId), { literal, all });
  const { text, unfit } = writeFormat(format, rules, gone);
  return {
    text,
    redirects: known.length,
    gone: gone.length,
    rules: rules.length + gone.length - unfit.length,
    notes: notes.map((note) => ({ ...note, isLeftOut: note.isLeftOut && !all })),
    left: [
      ...unfit.map(({ rule, reason }) => ({
        path: 'rest' in rule && rule.rest ? `${rule.path}*` : formatSource(rule),
        to: 'to' in rule ? rule.to : null,
        reason,
      })),
      ...(all ? [] : patterns).map(({ path, to }) => ({
        path: `${path}*`,
        to,
        reason: 'a pattern; pathmend answers it',
      })),
      ...goneBelow.map((path) => ({ path, to: null, reason: 'all paths below; pathmend answers it' })),
    ],
  };
}
