import { groupBy } from '../../base/group-by.js';
import type { Checked, LintNote } from '../lint-redirects.js';
import { formatSource, parseSource } from '../read/source-address.js';
import { mergedPath } from './regular-expressions.js';
import { prefixesOf, toMatcher } from './wildcards.js';
import { sourceOf } from './write-rules.js';
import { keyOfRule, type AnyRule, isRedirect, type ExportRule } from './written-rule.js';
import { pathParts, splitTarget } from '../path-pattern.js';

/** The rules of a project that a server would obey in front of its pages. The function changes all but `byAddress`. */
interface RulesBeforePages {
  /** The redirects of single paths, by their address. */
  byAddress: ReadonlyMap<string, readonly Checked[]>;
  /** Wildcards and patterns by their key. Those that match a page are deleted. */
  below: Map<string, AnyRule>;
  /** Addresses that get a rule because of another address. The addresses of pages are deleted. */
  siblings: Set<string>;
  notes: LintNote[];
}

/**
 * Finds the rules that would hide a page of the site from its visitors.
 * @returns `hidden`: the redirects whose old path is a page
 */
export async function holdAgainstPages(
  { byAddress, below, siblings, notes }: RulesBeforePages,
  pages: AsyncIterable<string> | Iterable<string>,
) {
  const hidden = new Set<Checked>();
  const byBeginning = groupBy([...below.values()].map(toMatcher), ({ beginning }) => beginning);
  const targets = new TargetHosts(below.values());
  for await (const url of pages) {
    const source = parseSource(url);
    if (!source) continue;
    const page = new URL(url);
    const path = mergedPath(source.path);
    targets.addPage(page, path);
    for (const address of new Set([path, formatSource({ path, query: source.query })])) {
      siblings.delete(address);
      for (const redirect of byAddress.get(address) ?? []) {
        if (hidden.has(redirect) || !isForPage(redirect, page, source.query)) continue;
        hidden.add(redirect);
        notes.push(noteHidden(redirect, url, address));
      }
    }
    for (const beginning of ['/', ...prefixesOf(path), `${path}/`])
      for (const { rule, matches } of byBeginning.get(beginning) ?? []) {
        const key = keyOfRule(rule);
        // A pattern is compared with the path. A wildcard is compared with a slash behind the path, since the page of
        // its folder counts as below it.
        if (!below.has(key) || !isForPage(rule, page, source.query) || !matches(rule.pattern ? path : `${path}/`))
          continue;
        below.delete(key);
        notes.push({ kind: 'shadows pages', path: sourceOf(rule), detail: `${url} is below it`, isLeftOut: true });
      }
  }
  return { hidden, targets };
}

function isForPage({ host, query }: AnyRule, page: URL, queryOfPage: string): boolean {
  return (host === undefined || host === page.host) && (query === '' || query === queryOfPage);
}

function noteHidden(redirect: Checked, url: string, address: string): LintNote {
  const { to } = redirect;
  const isOfPages = to.startsWith('/') || to.startsWith(`${new URL(url).origin}/`);
  const isItself = to === url || (isOfPages && formatSource(parseSource(to) ?? redirect) === address);
  return {
    kind: isItself ? 'loop' : 'live source',
    path: formatSource(redirect),
    detail: isItself ? 'leads to itself' : `${url} is a page of the project: the redirect would hide it`,
    isLeftOut: true,
  };
}

/** A new address without a host, and by host the origins of the pages that it may mean. */
interface OpenTarget {
  /** The address up to the first part that the old path decides. */
  beginning: string;
  isOne: boolean;
  origins: Map<string, string>;
}

/**
 * Finds the hosts of wildcards and patterns whose new address names none: when pathmend answers, it is the host of the
 * page there.
 */
class TargetHosts {
  readonly #byAddress = new Map<string, OpenTarget>();
  readonly #byFolder = new Map<string, OpenTarget[]>();
  readonly #origins = new Map<string, string>();

  constructor(rules: Iterable<AnyRule>) {
    for (const rule of rules) {
      if (!isRedirect(rule) || !rule.to.startsWith('/') || this.#byAddress.has(rule.to)) continue;
      const [text = '', ...names] = rule.pattern ? splitTarget(rule.to) : [rule.to];
      const isOne = rule.rest !== 'kept' && (names.length === 0 || /[?#]/.test(text));
      const beginning = isOne ? plain(text).replace(/(?<=.)\/$/, '') : plain(text);
      const target = { beginning, isOne, origins: new Map<string, string>() };
      const folder = beginning.slice(0, beginning.lastIndexOf('/') + 1);
      this.#byAddress.set(rule.to, target);
      this.#byFolder.set(folder, [...(this.#byFolder.get(folder) ?? []), target]);
    }
  }

  get hosts(): ReadonlySet<string> {
    return new Set(this.#origins.keys());
  }

  addPage({ host, origin }: URL, written: string): void {
    if (origin < (this.#origins.get(host) ?? '~')) this.#origins.set(host, origin);
    const path = this.#byFolder.size === 0 ? '/' : plain(written);
    for (const folder of ['/', ...prefixesOf(path)])
      for (const { beginning, isOne, origins } of this.#byFolder.get(folder) ?? []) {
        // A page is found with or without its slash and extension.
        const end = path.startsWith(beginning) ? path.slice(beginning.length) : undefined;
        if (end !== undefined && (!isOne || /^(?:\.[a-z0-9]+)?\/?$/.test(end))) origins.set(host, origin);
      }
  }

  /** Tells where a rule leads; or why that is unknown. */
  originOf({ to }: ExportRule): { origin: string } | Pick<LintNote, 'kind' | 'detail'> {
    if (this.#origins.size === 0) return { kind: 'dead target', detail: 'the project has no page' };
    const known = this.#origins.size > 1 ? this.#byAddress.get(to)?.origins : undefined;
    const all = [...(known ?? this.#origins).values()];
    if (all.length === 1) return { origin: all[0] ?? '' };
    const where = all.length === 0 ? 'on none of its hosts' : `on ${all.join(' and ')}`;
    return { kind: 'several hosts', detail: `pages at ${to} are ${where}: name one in the new address` };
  }
}

const plain = (path: string): string => `/${pathParts(path).join('/')}`.toLowerCase();
