import { listPages, type ListedPage } from '../database/queries/page-status.js';
import { listRuleRows, type ListedRule } from '../database/queries/rule-rows.js';
import type { Db } from '../database/db.js';
import { OperatorError } from '../errors.js';
import { NUMBER } from '../moves/rule-inputs.js';
import { encodeTarget, parseSource, type SourceAddress } from '../moves/redirect-files/address.js';
import type { KnownRedirect } from '../moves/redirect-rules/lint.js';
import type { ExportRule } from '../moves/redirect-rules/rule.js';

/** A compiler holds them all. Longer lists are no rules of a server. */
const MAX_REDIRECTS = 100_000;
const BATCH_ROWS = 5_000;

/** A project's rules as a compiler takes them, but for ignored paths. */
export interface KnownRedirects {
  known: KnownRedirect[];
  wildcards: ExportRule[];
  /** Redirects in which a segment may be any number. */
  patterns: ExportRule[];
  gone: SourceAddress[];
  /** Of all paths below these nothing is left; as `/old/*`. */
  goneBelow: string[];
}

/** @throws OperatorError if there are too many */
export async function readRedirects(db: Db, projectId: string): Promise<KnownRedirects> {
  const found = noRedirects();
  let last: string | undefined;
  for (;;) {
    const rows = await listRuleRows(db, projectId, {}, last, BATCH_ROWS);
    for (const rule of rows) addRule(found, rule);
    last = rows.at(-1)?.path;
    if (found.known.length > MAX_REDIRECTS)
      throw new OperatorError(`The project has more than ${MAX_REDIRECTS} redirects: no server takes so many rules.`);
    if (rows.length < BATCH_ROWS) return found;
  }
}

export function noRedirects(): KnownRedirects {
  return { known: [], wildcards: [], patterns: [], gone: [], goneBelow: [] };
}

export function addRule(found: KnownRedirects, { kind, action, path, target, active }: ListedRule): void {
  if (action === 'ignore') return;
  if (kind === 'exact' && target !== null) found.known.push({ path, url: target, active });
  else if (kind === 'exact') {
    const source = parseSource(path);
    if (source) found.gone.push(source);
  } else if (target === null) found.goneBelow.push(path);
  else found[kind === 'prefix' ? 'wildcards' : 'patterns'].push(...toWildcard(path, target));
}

function toWildcard(path: string, url: string): ExportRule[] {
  const source = parseSource(path.slice(0, -1));
  const keepsRest = url.endsWith(':splat');
  const to = encodeTarget(keepsRest ? url.slice(0, -':splat'.length) : url);
  if (!source) return [];
  const encoded = NUMBER.replace(':', '%3A');
  const segments = source.path.split('/').map((segment) => (segment === encoded ? NUMBER : segment));
  return [{ path: segments.join('/'), query: '', to, rest: keepsRest ? 'kept' : 'dropped' }];
}

export async function* pageUrls(db: Db, projectId: string): AsyncGenerator<string> {
  let last: ListedPage | undefined;
  for (;;) {
    const rows: ListedPage[] = await listPages(db, projectId, {}, last, BATCH_ROWS);
    for (const { url } of rows) yield url;
    last = rows.at(-1);
    if (rows.length < BATCH_ROWS) return;
  }
}
