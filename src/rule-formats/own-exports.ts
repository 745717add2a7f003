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

/**
 * What an export may make of the redirects that a project knows: wildcards and rewritings that are exact for all of
 * them. Which pages there are makes no difference: they may have changed since.
 */
export class CompiledRules {
  readonly #found: ReadonlyMap<string, ExportRule>;
  readonly #merged: ReadonlyMap<string, ExportRule>;
  readonly #known: ReadonlySet<string>;
  readonly #rewritings: () => Promise<ExportRule[]>;

  private constructor(
    found: ReadonlyMap<string, ExportRule>,
    known: Set<string>,
    rewritings: () => Promise<ExportRule[]>,
  ) {
    this.#found = found;
    this.#merged = new Map([...found.values()].map((rule) => [mergedPath(rule.path), rule]));
    this.#known = known;
    this.#rewritings = rewritings;
  }

  /** @param given the wildcards that are rules of the project */
  static async of(
    redirects: readonly KnownRedirect[],
    given: readonly ExportRule[],
    behind?: RulesBehind,
  ): Promise<CompiledRules> {
    const { checked } = await lintRedirects(redirects, behind);
    const found = await findWildcards(checked);
    for (const { path } of given) found.delete(path);
    const known = new Set<string>();
    await mapYielding(checked, (one) => {
      if (!one.isDead) known.add(formatSource(one));
    });
    return new CompiledRules(found, known, async () => [...(await findRewritings(checked)).values()]);
  }

  /** The path of the wildcard that says the same; undefined: none does. */
  findWildcard({ oldPath, target, keepsRest }: Wildcard): string | undefined {
    const path = mergedPath(parseSource(oldPath)?.path ?? '');
    const rule = this.#merged.get(path);
    if (!rule || (rule.rest === 'kept') !== keepsRest) return undefined;
    const to = encodeTarget('href' in target ? target.href : target.path);
    return to === ('href' in target ? rule.to : rule.to.replace(/^https?:\/\/[^/]*/i, '')) ? rule.path : undefined;
  }

  /** The paths of all wildcards that could take the place of a known redirect. */
  wildcardsOf(from: string): string[] {
    const source = parseSource(from);
    if (!source || !this.#known.has(formatSource(source))) return [];
    return prefixesOf(source.path).filter((prefix) => this.#found.has(prefix));
  }

  /** Which of these patterns, in the words of the reader, are rewritings. */
  async findPatterns(texts: ReadonlySet<string>): Promise<Set<string>> {
    const known = new Set<string>();
    if (texts.size === 0) return known;
    const wanted = new Map([...texts].map((text) => [withoutNumber(text), text]));
    const rules = (await this.#rewritings()).slice(0, MAX_REWRITINGS);
    const batches = Array.from({ length: Math.ceil(rules.length / BATCH) }, (_, at) =>
      rules.slice(at * BATCH, (at + 1) * BATCH),
    );
    await mapYielding(
      batches.flatMap((batch) => [...EXPRESSION_FORMATS].map((format) => ({ batch, format }))),
      ({ batch, format }) => {
        const file = new RedirectFile(format, format);
        // An export names the site's own pages with their host or without.
        const bare = batch.map((rule) => ({ ...rule, to: rule.to.replace(/^https?:\/\/[^/]*/i, '') }));
        const lines = writeFormat(format, [...batch, ...bare]).text.split('\n');
        for (const rule of [...lines.flatMap((line) => file.push(line)), ...file.end()]) {
          const said = rule.kind === 'skipped' ? rule.text : rule.kind === 'pattern' ? patternText(rule) : undefined;
          const text = said === undefined ? undefined : wanted.get(withoutNumber(said));
          if (text !== undefined) known.add(text);
        }
      },
    );
    return known;
  }
}

/** Rules are counted in their names. */
function withoutNumber(text: string): string {
  return text.replace(/pathmend\d+/g, 'pathmend');
}
