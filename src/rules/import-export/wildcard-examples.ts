import { formatSource, parseSource } from '../../rule-formats/read/source-address.js';
import { hasNumbers, type ExportGone, type ExportRule } from '../../rule-formats/write/written-rule.js';
import { ANY, exampleOf, prefixesOf, toMatcher, type Matcher } from '../../rule-formats/write/wildcards.js';
import { keyOf } from '../../rule-formats/lint-redirects.js';
import { ANY_NUMBER } from '../../rule-formats/path-pattern.js';
import type { StoredRules } from './rules-for-servers.js';

/** The maximum number of examples of each wildcard that keeps the rest. */
const MAX_EXAMPLES = 3;

interface Example {
  path: string;
  /** The address that the path leads to; null: the path is gone. */
  url: string | null;
}

/**
 * Finds examples of old urls below a project's wildcards. For a wildcard that keeps the rest, they lead to pages of the
 * project; for the others, any path below serves.
 */
export class WildcardExamples {
  readonly #byTarget = new Map<string, { rule: ExportRule; examples: Example[] }[]>();
  readonly #fixed: Example[];
  readonly #known: ReadonlySet<string>;
  readonly #rules: Matcher[];
  /** The number of patterns without an example, because their targets name parts of the path. */
  #unnamed = 0;

  constructor({ known, gone, below }: StoredRules) {
    this.#known = new Set([...known.map(({ path }) => path), ...gone.map(formatSource)].map(keyOf));
    const rules = [...below];
    this.#rules = rules
      .sort((a, b) => Number(hasNumbers(a.path)) - Number(hasNumbers(b.path)) || b.path.length - a.path.length)
      .map(toMatcher);
    this.#fixed = rules.flatMap((rule): Example[] => {
      if ('to' in rule && rule.rest === 'kept') {
        const target = parseSource(rule.to)?.path ?? '';
        this.#byTarget.set(target, [...(this.#byTarget.get(target) ?? []), { rule, examples: [] }]);
        return [];
      }
      const to = 'to' in rule ? rule.to : '';
      const { path, url } = rule.pattern ? exampleOf(rule.pattern, to) : { path: pathBelow(rule.path, ANY), url: to };
      if (url !== to) this.#unnamed++;
      else if (this.#isDecidedBy(path, rule)) return [{ path, url: 'to' in rule ? to : null }];
      return [];
    });
  }

  /** Makes a page of the project an example of the wildcards that lead to it. */
  addPage(url: string): void {
    const page = parseSource(url);
    if (!page || page.query !== '') return;
    for (const target of ['/', ...prefixesOf(page.path)]) {
      for (const { rule, examples } of this.#byTarget.get(target) ?? []) {
        const rest = page.path.slice(target.length);
        if (rest === '' || examples.length >= MAX_EXAMPLES) continue;
        const path = pathBelow(rule.path, rest);
        if (this.#isDecidedBy(path, rule)) examples.push({ path, url });
      }
    }
  }

  get oldUrls(): Example[] {
    return [...this.#fixed, ...[...this.#byTarget.values()].flat().flatMap(({ examples }) => examples)];
  }

  /** The number of wildcards and patterns without an example. */
  get missing(): number {
    return this.#unnamed + [...this.#byTarget.values()].flat().filter(({ examples }) => examples.length === 0).length;
  }

  /** Tells whether this rule decides about the path: it has no rule of its own, and no other wildcard comes first. */
  #isDecidedBy(path: string, rule: ExportRule | ExportGone): boolean {
    return !this.#known.has(keyOf(path)) && this.#rules.find(({ matches }) => matches(path))?.rule === rule;
  }
}

function pathBelow(path: string, rest: string): string {
  return path.replaceAll(ANY_NUMBER, '/1') + rest;
}
