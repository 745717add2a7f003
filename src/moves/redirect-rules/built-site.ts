import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../errors.js';
import { encodePath, parseSource } from '../redirect-files/address.js';
import type { LocatedRule } from '../redirect-files/redirect-rule.js';

/** A page of a built site that is gone, and why its visitors are lost. */
export interface LostPage {
  /** The file, from the site's folder. */
  file: string;
  path: string;
  problem: string;
}

/** So many files have the greatest sites that are built. */
const MAX_FILES = 1_000_000;
const HTML = /\.x?html?$/i;

/**
 * The HTML files of a folder, as paths from it with slashes. Links are not followed.
 * @throws OperatorError
 */
export async function listHtml(folder: string): Promise<Set<string>> {
  const found = new Set<string>();
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const inside = join(folder, at);
    const entries = await opendir(inside).catch((error: unknown) => {
      throw new OperatorError(`${inside} is not a folder that can be read.`, { cause: error });
    });
    for await (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && HTML.test(entry.name) && path !== '404.html') found.add(path);
      if (found.size > MAX_FILES) throw new OperatorError(`${folder} has more than ${MAX_FILES} HTML files.`);
    }
  }
  return found;
}

/** The pages of a built site that the next build lacks, and that no redirect leads away from to a page of it. */
export function findLostPages(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  rules: readonly LocatedRule[],
): LostPage[] {
  const live = new Set([...after].flatMap(addressesOf));
  const exact = new Map<string, string>();
  const wildcards: { from: string; to: string; keepsRest: boolean }[] = [];
  for (const rule of rules) {
    if (rule.kind === 'redirect') {
      const from = parseSource(rule.from);
      if (from?.query === '' && !exact.has(from.path)) exact.set(from.path, rule.to);
    } else if (rule.kind === 'wildcard') {
      const from = parseSource(rule.from);
      if (from) wildcards.push({ ...rule, from: from.path });
    }
  }
  wildcards.sort((a, b) => b.from.length - a.from.length);
  const targetOf = (address: string): string | undefined => {
    const wildcard = wildcards.find(({ from }) => address.startsWith(from));
    const rest = wildcard?.keepsRest ? address.slice(wildcard.from.length) : '';
    return exact.get(address) ?? (wildcard && wildcard.to + rest);
  };
  return [...before].sort().flatMap((file): LostPage[] => {
    const addresses = addressesOf(file);
    const [path = ''] = addresses;
    if (addresses.some((address) => live.has(address))) return [];
    const targets = addresses.flatMap((address) => targetOf(address) ?? []);
    if (targets.length === 0) return [{ file, path, problem: 'no redirect' }];
    // Of another site nothing is known.
    if (targets.some((to) => !to.startsWith('/') || live.has(parseSource(to)?.path ?? ''))) return [];
    return [{ file, path, problem: `redirects to ${targets[0] ?? ''}, which is no page either` }];
  });
}

/** The paths that a file is served at, the usual one first. */
function addressesOf(file: string): string[] {
  const path = `/${file}`;
  const folder = path.replace(/\/index\.x?html?$/i, '/');
  const addresses =
    folder === path
      ? [path, path.replace(HTML, ''), `${path.replace(HTML, '')}/`]
      : [folder, folder.length > 1 ? folder.slice(0, -1) : folder, path];
  return addresses.map((address) => encodePath(address.replaceAll('%', '%25')));
}
