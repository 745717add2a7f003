import { join } from 'node:path';
import { OperatorError } from '../../base/errors.js';
import { NoRedirects } from '../../rule-formats/read/config-documents.js';
import { RedirectFile } from '../../rule-formats/read/redirect-file.js';
import { SKIP_REASONS, type LocatedRule, type SkipReason } from '../../rule-formats/read/read-rule.js';
import { readLines } from '../../text/read-lines.js';
import type { SourceItem } from '../source.js';
import { hasFile } from './folder-files.js';

/** Files of hosts and web servers, at the root of the folder. */
const HOSTING_FILES = ['vercel.json', 'netlify.toml', '_redirects', '.htaccess', 'web.config'];

const NO_REDIRECT: ReadonlySet<SkipReason> = new Set(['notRedirect', 'switchedOff']);

/** Reads the rules of the folder's hosting files. Their paths are relative to the host's root. */
export async function* readRedirectFiles(folder: string): AsyncGenerator<SourceItem> {
  for (const file of HOSTING_FILES) if (await hasFile(folder, file)) yield* readRedirects(folder, file);
}

async function* readRedirects(folder: string, file: string): AsyncGenerator<SourceItem> {
  const rules = new RedirectFile(file);
  try {
    for await (const text of readLines(join(folder, file)))
      for (const rule of rules.push(text)) yield* itemsOf(rule, file);
    for (const rule of rules.end()) yield* itemsOf(rule, file);
  } catch (error) {
    if (error instanceof NoRedirects) return;
    if (!(error instanceof OperatorError)) throw error;
    yield { kind: 'refused', where: file, reason: error.message, isRule: true };
  }
}

/** Skips lines that are not redirects; the sync reports the others that it refuses. */
function* itemsOf(rule: LocatedRule, file: string): Generator<SourceItem> {
  const where = `${file}:${rule.line}`;
  const terms = 'from' in rule && rule.terms ? { terms: rule.terms } : {};
  if (rule.kind === 'redirect') yield { kind: 'redirect', from: rule.from, to: rule.to, where, ...terms };
  else if (rule.kind === 'gone' || ('action' in rule && rule.action === 'gone'))
    yield { kind: 'gone', path: rule.kind === 'bare' && rule.below ? `${rule.from}*` : rule.from, where, ...terms };
  else if (rule.kind === 'pattern' && rule.to !== undefined)
    yield { kind: 'redirect', from: rule.from, to: rule.to, where, isPattern: true, ...terms };
  else if (rule.kind === 'wildcard')
    yield {
      kind: 'redirect',
      from: `${rule.from}*`,
      to: rule.keepsRest ? `${rule.to}:splat` : rule.to,
      where,
      isPattern: true,
      ...terms,
    };
  else if (rule.kind === 'skipped' && !NO_REDIRECT.has(rule.reason))
    yield { kind: 'refused', where, reason: `${SKIP_REASONS[rule.reason]} (${rule.text})`, isRule: true };
  // Most lines of an .htaccess are about other things.
  else if (rule.kind === 'refused' && file !== '.htaccess')
    yield { kind: 'refused', where, reason: rule.reason, isRule: true };
}
