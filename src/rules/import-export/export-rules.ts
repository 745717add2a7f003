import type { Db } from '../../platform/database/db.js';
import { encodeTarget, parseSource } from '../../rule-formats/read/source-address.js';
import { compileRules, onItsHost, type Compiled } from '../../rule-formats/write/compile.js';
import { writeFormat, type ExportFormat } from '../../rule-formats/write/formats.js';
import { sourceOf } from '../../rule-formats/write/write-rules.js';
import { isRedirect } from '../../rule-formats/write/written-rule.js';
import { listPageUrls, readHosts, readPathMatching } from '../store/page-urls.js';
import { readRedirects, type StoredRules } from './rules-for-servers.js';

export type Exported = Awaited<ReturnType<typeof exportRules>>;

/** An export for a page that shows it. It has only some of the notes, those about rules that are left out first. */
export type ShortExport = ReturnType<typeof shorten>;

/** The maximum number of notes, and of rules that the format cannot have: a page shows no more. */
const MAX_REMARKS = 200;

/**
 * Writes a project's rules for a web server, or as data. It keeps the thread busy for seconds: a service calls
 * `exportRulesInThread`.
 * @param absolute writes the host in addresses of the site's own pages
 * @throws OperatorError if there are too many redirects
 */
export async function exportRules(db: Db, projectId: string, format: ExportFormat, absolute = false) {
  const rules = await readRedirects(db, projectId);
  const { known, below, gone, ignored } = rules;
  const isData = format === 'json' || format === 'csv';
  const { path_case, path_slash } = await readPathMatching(db, projectId);
  // Netlify does not tell paths apart by a slash at the end.
  const siblings = format !== 'netlify';
  const anySlash = siblings && path_slash === 'ignored';
  const compiled = isData
    ? toRows(rules, await readHosts(db, projectId), !absolute)
    : await compileRules(known, rules, listPageUrls(db, projectId), {
        asPaths: !absolute,
        keepsSlashes: format === 'netlify' || format === 'vercel' || format === 'cloudflare',
        siblings,
        anySlash,
      });
  const bare = [...gone, ...compiled.gone];
  const { text, unfit, notes } = writeFormat(format, compiled.rules, bare, { anyCase: path_case === 'ignored' });
  return {
    text,
    redirects: known.length,
    gone: gone.length + below.filter((rule) => !isRedirect(rule)).length,
    /** Paths that are not worth a redirect; JSON and CSV alone have them. */
    ignored: ignored.length,
    /** The number of rules in the text. */
    rules: compiled.rules.length + bare.length - unfit.length - notes.filter(({ isLeftOut }) => isLeftOut).length,
    /** The number of the project's rules that it is made from. */
    stored: known.length + below.length + gone.length + (isData ? ignored.length : 0),
    notes: [...compiled.notes, ...notes],
    /** Rules that the format cannot have. */
    left: unfit.map(({ rule, reason }) => ({ path: sourceOf(rule), to: 'to' in rule ? rule.to : null, reason })),
  };
}

/** Writes down every rule as it is stored, with all its spellings: such a file changes nothing when it is imported. */
function toRows({ known, below, ignored }: StoredRules, hosts: ReadonlySet<string>, asPaths: boolean): Compiled {
  const exact = known.flatMap(({ path, url, terms }) => {
    const source = parseSource(path);
    return source ? [{ ...source, ...terms, to: encodeTarget(url) }] : [];
  });
  const rules = [...exact, ...below.filter(isRedirect)].map((rule) => onItsHost(rule, hosts, asPaths));
  return { rules, gone: [...below.filter((rule) => !isRedirect(rule)), ...ignored], notes: [] };
}

export function shorten({ text, rules, stored, left, notes }: Exported) {
  const first = [...notes].sort((a, b) => Number(b.isLeftOut) - Number(a.isLeftOut)).slice(0, MAX_REMARKS);
  return {
    /** It is encoded as UTF-8. */
    text: new TextEncoder().encode(text),
    rules,
    stored,
    left: left.slice(0, MAX_REMARKS),
    notes: first,
    /** The number of all notes and of all rules that the format cannot have. */
    remarks: left.length + notes.length,
  };
}
