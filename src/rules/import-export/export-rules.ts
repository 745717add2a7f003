import type { Db } from '../../platform/database/db.js';
import { type ExportFormat, bareSource, EXPRESSION_FORMATS, writeFormat } from '../../rule-formats/write/formats.js';
import { readRedirects, rulesBehind, type KnownRedirects } from './rules-for-servers.js';
import { listPageUrls, readPathMatching } from '../store/page-urls.js';
import { formatSource } from '../../rule-formats/read/source-address.js';
import { compileRules } from '../../rule-formats/write/compile.js';
import type { LintNote } from '../../rule-formats/lint-redirects.js';

/**
 * A project's redirects as rules of a web server, or as data. It takes seconds of the thread: a service has
 * `exportRulesInThread`.
 * @param literal one rule for each redirect, without wildcards in their place
 * @param absolute with the host in addresses of the site's own pages
 * @throws OperatorError if there are too many
 */
export async function exportRules(
  db: Db,
  projectId: string,
  format: ExportFormat,
  literal = false,
  absolute = false,
): Promise<Exported> {
  const rules = await readRedirects(db, projectId);
  const { path_case, path_slash } = await readPathMatching(db, projectId);
  const matching = { anyCase: path_case === 'ignored', anySlash: path_slash === 'ignored' };
  return compileExport(rules, listPageUrls(db, projectId), format, { literal, absolute, ...matching });
}

export interface Exported {
  text: string;
  redirects: number;
  gone: number;
  /** Not worth a redirect; JSON and CSV alone have them. */
  ignored: number;
  /** In the text. */
  rules: number;
  notes: LintNote[];
  /** What the format cannot have. */
  left: { path: string; to: string | null; reason: string }[];
}

interface ExportOptions {
  literal?: boolean;
  absolute?: boolean;
  /** The project makes no difference between upper and lower case, or by a slash at the end. */
  anyCase?: boolean;
  anySlash?: boolean;
}

/**
 * Redirects as rules of a web server, or as data.
 * @param pages urls of all pages.
 * @param options.literal one rule for each redirect, without wildcards in their place
 * @param options.absolute with the host in addresses of the site's own pages
 */
export async function compileExport(
  rules: KnownRedirects,
  pages: AsyncIterable<string>,
  format: ExportFormat,
  { literal = false, absolute = false, anyCase = false, anySlash = false }: ExportOptions = {},
): Promise<Exported> {
  const { known, wildcards, patterns, gone, goneBelow, ignored } = rules;
  // These hold data, not rules that a server obeys.
  const all = format === 'json' || format === 'csv';
  const compiled = await compileRules(known, [...wildcards, ...patterns], pages, {
    literal,
    asPaths: !absolute,
    // Netlify makes no difference.
    siblings: !all && format !== 'netlify',
    anySlash: anySlash && !all && format !== 'netlify',
    all,
    expressions: EXPRESSION_FORMATS.some((one) => one === format),
    goneBelow,
    behind: rulesBehind(rules),
  });
  const bare = [...gone, ...compiled.gone, ...(all ? ignored : [])];
  const { text, unfit, notes } = writeFormat(format, compiled.rules, bare, { anyCase });
  return {
    text,
    redirects: known.length,
    gone: gone.length + goneBelow.length,
    ignored: ignored.length,
    rules: compiled.rules.length + bare.length - unfit.length - notes.filter(({ isLeftOut }) => isLeftOut).length,
    notes: [...compiled.notes, ...notes].map((note) => ({ ...note, isLeftOut: note.isLeftOut && !all })),
    left: unfit.map(({ rule, reason }) => ({
      path: 'to' in rule ? (rule.rest ? `${rule.path}*` : formatSource(rule)) : bareSource(rule),
      to: 'to' in rule ? rule.to : null,
      reason,
    })),
  };
}
