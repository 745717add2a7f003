import { OperatorError } from '#src/base/errors.js';
import { parseUrl, parsePageUrl } from '#src/text/page-url.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { SKIP_REASONS, type LocatedRule } from '#src/rule-formats/read/read-rule.js';
import { CATCH_ALL, withOverlap, type Case, type LeftOut, type SitePage } from '../site-data.js';

const MAX_HOPS = 10;
const EXAMPLES = 3;
const NO_SINGLE_PATH = 'a wildcard or pattern: it names no single old path';

/**
 * Reads the rules of a redirect file in any of its formats.
 * @throws OperatorError that names the file and line.
 */
export function parseRules(text: string, file: string): LocatedRule[] {
  const rules = new RedirectFile(file);
  const all = text.split(/\r?\n/).flatMap((line) => rules.push(line));
  all.push(...rules.end());
  for (const rule of all) if (rule.kind === 'refused') throw new OperatorError(`${file}:${rule.line}: ${rule.reason}`);
  return all;
}

/**
 * Makes the cases that a redirect map gives for these pages. Chains are followed to their end. Redirects are left out
 * and counted that lead off the site, to no page or round in a circle, that begin at a live page, or that are among
 * {@link CATCH_ALL} or more to one page.
 */
export function toCases(
  rules: readonly LocatedRule[],
  pages: readonly SitePage[],
  file: string,
): { cases: Case[]; leftOut: LeftOut[] } {
  const left = new Map<string, LeftOut>();
  const leaveOut = (reason: string, line: number, text: string): void => {
    const entry = left.get(reason) ?? { reason, count: 0, examples: [] };
    entry.count++;
    if (entry.examples.length < EXAMPLES) entry.examples.push(`${file}:${line}: ${text}`);
    left.set(reason, entry);
  };
  const site = new SiteAddresses(pages);
  // The first rule of a path counts, as in web servers.
  const byPath = new Map<string, Extract<LocatedRule, { kind: 'redirect' }>>();
  for (const rule of rules) {
    if (rule.kind === 'gone') leaveOut('gone for good', rule.line, rule.from);
    if (rule.kind === 'wildcard') leaveOut(NO_SINGLE_PATH, rule.line, `${rule.from}* ${rule.to}`);
    if (rule.kind === 'pattern') leaveOut(NO_SINGLE_PATH, rule.line, `${rule.from} ${rule.to ?? rule.action}`);
    if (rule.kind === 'skipped')
      leaveOut(rule.reason === 'pattern' ? NO_SINGLE_PATH : SKIP_REASONS[rule.reason], rule.line, rule.text);
    if (rule.kind !== 'redirect') continue;
    const path = site.pathOf(rule.from);
    if (rule.row?.['catch_all'] === true) leaveOut('marked as catch-all', rule.line, `${rule.from} ${rule.to}`);
    else if (path === undefined) leaveOut('of another site', rule.line, rule.from);
    else if (byPath.has(path)) leaveOut('the same old path again', rule.line, rule.from);
    else byPath.set(path, rule);
  }

  /** The page that an address leads to in the end, or why there is none. */
  const follow = (address: string): { page: string } | { reason: string } => {
    let at = address;
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const path = site.pathOf(at);
      if (path === undefined) return { reason: 'leads to another site' };
      const next = site.pageAt(path, true) === undefined ? byPath.get(path) : undefined;
      if (!next) {
        const page = site.pageAt(path);
        return page === undefined ? { reason: 'leads to no page of the pages file' } : { page };
      }
      at = next.to;
    }
    return { reason: `leads round in a circle, or over more than ${MAX_HOPS} others` };
  };

  const resolvedRules = [...byPath].flatMap(([path, rule]) => {
    const end = follow(rule.to);
    const text = `${rule.from} ${rule.to}`;
    if ('reason' in end) leaveOut(end.reason, rule.line, text);
    else if (site.pageAt(path, true) !== undefined) leaveOut('the old path is a live page', rule.line, text);
    else return [{ path, rule, page: end.page }];
    return [];
  });
  const toPage = new Map<string, number>();
  for (const { page } of resolvedRules) toPage.set(page, (toPage.get(page) ?? 0) + 1);
  const cases = resolvedRules.flatMap(({ path, rule, page }) => {
    if ((toPage.get(page) ?? 0) >= CATCH_ALL) {
      leaveOut(`one of ${CATCH_ALL} or more old paths to one page`, rule.line, `${rule.from} ${rule.to}`);
      return [];
    }
    const { also_ok: alsoOk, kind } = rule.row ?? {};
    const otherAddresses = Array.isArray(alsoOk) ? alsoOk.filter((address) => typeof address === 'string') : [];
    const also = otherAddresses.flatMap((address) => site.pageAt(site.pathOf(address) ?? '') ?? []);
    return [withOverlap({ input: path, right: [page, ...also], kind: typeof kind === 'string' ? kind : 'redirect' })];
  });
  return { cases, leftOut: [...left.values()] };
}

/** Knows which addresses are the site's own, and which of them are pages. */
class SiteAddresses {
  readonly #hosts: Set<string>;
  readonly #pages = new Map<string, string>();
  readonly #loosePages = new Map<string, string>();

  constructor(pages: readonly SitePage[]) {
    this.#hosts = new Set(pages.map(({ url }) => bareHost(new URL(url))));
    for (const { path } of pages) {
      this.#pages.set(path, path);
      if (!this.#loosePages.has(loose(path))) this.#loosePages.set(loose(path), path);
    }
  }

  /** Url path with query string of an address of this site; undefined for an address of another site. */
  pathOf(address: string): string | undefined {
    const page = parsePageUrl(address);
    if (page) return this.#hosts.has(bareHost(new URL(page.href))) ? page.path : undefined;
    const base = 'http://path.invalid';
    const url = parseUrl(address, base);
    if (!url) return address;
    // `//elsewhere/path` is an address on another host.
    return url.origin === base ? url.pathname + url.search : undefined;
  }

  /** The page at a path; unless `exactObject`, a closing slash, an index file and the query make no difference. */
  pageAt(path: string, exactObject = false): string | undefined {
    return this.#pages.get(path) ?? (exactObject ? undefined : this.#loosePages.get(loose(path)));
  }
}

function bareHost(url: URL): string {
  return url.host.replace(/^www\./, '');
}

function loose(path: string): string {
  return path
    .replace(/\?.*/s, '')
    .replace(/\/index\.(?:html?|php)$/i, '/')
    .replace(/(?<!\/)\/+$/, '');
}
