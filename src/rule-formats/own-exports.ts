import { mapYielding } from '../base/map-yielding.js';
import type { Wildcard } from './read-redirect.js';
import { encodeTarget, formatSource, parseSource } from './read/source-address.js';
import { patternText } from './read/read-rule.js';
import { RedirectFile } from './read/redirect-file.js';
import { mergedPath } from './write/regular-expressions.js';
import { EXPRESSION_FORMATS, writeFormat } from './write/formats.js';
import { lintRedirects, type KnownRedirect, type RulesBehind } from './lint-redirects.js';
import { findRewritings } from './write/pattern-rules.js';
import type { ExportRule } from './write/written-rule.js';
import { findWildcards, prefixesOf } from './write/wildcards.js';

/** Only so many rewritings are looked through: a site has dozens. */
const MAX_REWRITINGS = 10_000;
/** Files have limits. */
const BATCH = 200;

/** What an export may make of the redirects that a project knows. */
export interface CompiledRules {
  /** The path of the wildcard that says the same; undefined: none does. */
  findWildcard: (rule: Wildcard) => string | undefined;
  /** The paths of all wildcards that could take the place of a known redirect. */
  wildcardsOf: (from: string) => string[];
  /** Which of these patterns, in the words of the reader, are rewritings. */
  findPatterns: (texts: ReadonlySet<string>) => Promise<Set<string>>;
}

/**
 * Wildcards and rewritings that are exact for all redirects. Which pages there are makes no difference: they may have
 * changed since.
 * @param given the wildcards that are rules of the project
 */
export async function compiledFrom(
  redirects: readonly KnownRedirect[],
  given: readonly ExportRule[],
  behind?: RulesBehind,
): Promise<CompiledRules> {
  const { checked } = await lintRedirects(redirects, behind);
  const found = await findWildcards(checked);
  for (const { path } of given) found.delete(path);
  const merged = new Map([...found.values()].map((rule) => [mergedPath(rule.path), rule]));
  const known = new Set<string>();
  await mapYielding(checked, (one) => {
    if (!one.isDead) known.add(formatSource(one));
  });
  return {
    findWildcard({ oldPath, target, keepsRest }) {
      const rule = merged.get(mergedPath(parseSource(oldPath)?.path ?? ''));
      if (!rule || (rule.rest === 'kept') !== keepsRest) return undefined;
      const to = encodeTarget('href' in target ? target.href : target.path);
      return to === ('href' in target ? rule.to : withoutHost(rule.to)) ? rule.path : undefined;
    },
    wildcardsOf(from) {
      const source = parseSource(from);
      if (!source || !known.has(formatSource(source))) return [];
      return prefixesOf(source.path).filter((prefix) => found.has(prefix));
    },
    findPatterns: async (texts) =>
      texts.size === 0 ? new Set() : findWritten(texts, [...(await findRewritings(checked)).values()]),
  };
}

/** Which of these texts a reader gives of rewritings in any format. */
async function findWritten(texts: ReadonlySet<string>, rewritings: readonly ExportRule[]): Promise<Set<string>> {
  const written = new Set<string>();
  const wanted = new Map([...texts].map((text) => [withoutNumber(text), text]));
  const rules = rewritings.slice(0, MAX_REWRITINGS);
  const batches = Array.from({ length: Math.ceil(rules.length / BATCH) }, (_, at) =>
    rules.slice(at * BATCH, (at + 1) * BATCH),
  );
  await mapYielding(
    batches.flatMap((batch) => EXPRESSION_FORMATS.map((format) => ({ batch, format }))),
    ({ batch, format }) => {
      const file = new RedirectFile(format, format);
      // An export names the site's own pages with their host or without.
      const bare = batch.map((rule) => ({ ...rule, to: withoutHost(rule.to) }));
      const lines = writeFormat(format, [...batch, ...bare]).text.split('\n');
      for (const rule of [...lines.flatMap((line) => file.push(line)), ...file.end()]) {
        const said = rule.kind === 'skipped' ? rule.text : rule.kind === 'pattern' ? patternText(rule) : undefined;
        const text = said === undefined ? undefined : wanted.get(withoutNumber(said));
        if (text !== undefined) written.add(text);
      }
    },
  );
  return written;
}

function withoutHost(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, '');
}

/** Rules are counted in their names. */
function withoutNumber(text: string): string {
  return text.replace(/pathmend\d+/g, 'pathmend');
}
