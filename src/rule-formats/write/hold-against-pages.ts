import { groupBy } from '../../base/group-by.js';
import type { Checked, LintNote } from '../lint-redirects.js';
import { formatSource, parseSource } from '../read/source-address.js';
import { mergedPath } from './regular-expressions.js';
import { prefixesOf, toMatcher } from './wildcards.js';
import { sourceOf } from './write-rules.js';
import { TargetHosts } from './target-hosts.js';
import { keyOfRule, type AnyRule } from './written-rule.js';

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
