import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../base/errors.js';
import { fillTarget, matchPathPattern, parsePathPattern, pathParts, type PathPattern } from './path-pattern.js';
import { encodePath, parseSource } from './read/source-address.js';
import type { LocatedRule } from './read/read-rule.js';

/** A page of a built site that is gone, and why its visitors are lost. */
export interface LostPage {
  /** The path of the file from the site's folder. */
  file: string;
  path: string;
  problem: string;
}

/** The largest sites that are built have so many files. */
const MAX_FILES = 1_000_000;
const HTML = /\.x?html?$/i;
const INDEX = /\/index\.x?html?$/i;

/**
 * Lists the HTML files of a folder, but for its `404.html`, as paths from the folder with slashes. Links are not
 * followed.
 * @throws OperatorError
 */
export async function listHtml(folder: string): Promise<Set<string>> {
  const files = new Set<string>();
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const inside = join(folder, at);
    const entries = await opendir(inside).catch((error: unknown) => {
      throw new OperatorError(`${inside} is not a folder that can be read.`, { cause: error });
    });
    for await (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && HTML.test(entry.name) && path !== '404.html') files.add(path);
      if (files.size > MAX_FILES) throw new OperatorError(`${folder} has more than ${MAX_FILES} HTML files.`);
    }
  }
  return files;
}

/** The redirects of one file. */
export interface RedirectsOfFile {
  rules: readonly LocatedRule[];
  /**
   * Whether the rules are those of a web server, which serves `b.html` as `/b.html` alone. Hosts serve it as `/b`, too.
   */
  isOfServer: boolean;
}

/**
 * Finds the pages of a built site that the next build lacks, and that no redirect leads to a page of the next build.
 */
export function findLostPages(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  files: readonly RedirectsOfFile[],
): LostPage[] {
  const live = new Set([...after].flatMap((file) => addressesOf(file)));
  const served = new Set([...after].flatMap(servedAt));
  const readers = files.map(({ rules, isOfServer }) => ({ isOfServer, targetOf: createTargets(rules) }));
  return [...before].sort().flatMap((file): LostPage[] => {
    const addresses = addressesOf(file);
    const [path = ''] = addresses;
    if (addresses.some((address) => live.has(address))) return [];
    const targets = readers.flatMap(({ isOfServer, targetOf }) =>
      (isOfServer ? servedAt(file) : addresses).flatMap((address) => {
        const to = targetOf(address);
        return to === undefined ? [] : [{ to, pages: isOfServer ? served : live }];
      }),
    );
    const [first] = targets;
    if (!first) return [{ file, path, problem: 'no redirect' }];
    // Which pages another site has is not known.
    if (targets.some(({ to, pages }) => !to.startsWith('/') || pages.has(parseSource(to)?.path ?? ''))) return [];
    return [{ file, path, problem: `redirects to ${first.to}, which is no page either` }];
  });
}

/** Finds where rules lead an address: the redirect of its path decides, else the longest wildcard, else a pattern. */
function createTargets(rules: readonly LocatedRule[]): (address: string) => string | undefined {
  const exact = new Map<string, string>();
  const wildcards: { from: string; to: string; keepsRest: boolean }[] = [];
  const patterns: { pattern: PathPattern; to: string }[] = [];
  for (const rule of rules) {
    if (rule.kind === 'pattern') {
      const pattern = parsePathPattern(rule.from.replace(/^https?:\/\/[^/]*/i, ''));
      if (rule.to !== undefined && !rule.from.includes('?') && !('refused' in pattern))
        patterns.push({ pattern, to: rule.to });
    }
    if (rule.kind !== 'redirect' && rule.kind !== 'wildcard') continue;
    const from = parseSource(rule.from);
    if (!from) continue;
    if (rule.kind === 'wildcard') wildcards.push({ ...rule, from: from.path });
    else if (from.query === '' && !exact.has(from.path)) exact.set(from.path, rule.to);
  }
  wildcards.sort((a, b) => b.from.length - a.from.length);
  return (address) => {
    const wildcard = wildcards.find(({ from }) => address.startsWith(from));
    const rest = wildcard?.keepsRest ? address.slice(wildcard.from.length) : '';
    return exact.get(address) ?? (wildcard ? wildcard.to + rest : targetOfPattern(patterns, address));
  };
}

function targetOfPattern(patterns: readonly { pattern: PathPattern; to: string }[], address: string) {
  for (const { pattern, to } of patterns) {
    const texts = matchPathPattern(pattern, pathParts(address));
    if (texts) return fillTarget(to, texts);
  }
  return undefined;
}

/** Lists the paths at which hosts serve a file, the usual path first. */
function addressesOf(file: string): string[] {
  const path = `/${file}`;
  const folder = path.replace(INDEX, '/');
  const addresses =
    folder === path
      ? [path, path.replace(HTML, ''), `${path.replace(HTML, '')}/`]
      : [folder, folder.length > 1 ? folder.slice(0, -1) : folder, path];
  return addresses.map((address) => encodePath(address.replaceAll('%', '%25')));
}

/**
 * Lists the paths at which a web server serves a file: its own path, and for an index file also those of its folder.
 */
function servedAt(file: string): string[] {
  const addresses = addressesOf(file);
  return INDEX.test(`/${file}`) ? addresses : addresses.slice(0, 1);
}
