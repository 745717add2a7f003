import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../base/errors.js';
import type { LeftOut, Source } from '../source.js';
import { FileUrls, readFolderSitemaps, sampleLinks } from './file-urls.js';
import { walkFiles, type FolderFile } from './folder-files.js';
import { readHtmlFile, type Copy } from './read-html-file.js';
import { readRedirectFiles } from './read-redirect-files.js';

interface Folder {
  folder: string;
  /** The root url of the site, with a slash at its end. */
  base: string;
  leftOut: LeftOut;
}

const HTML = /\.html?$/i;
/** Matches the page that a server shows for a missing one. */
const NOT_FOUND = /(?:^|\/)404\.html?$/i;
const LINK = 'is a symbolic link: it may lead out of the folder, and is not followed';

/** Reads a folder that a site generator built. @throws OperatorError without a root url or HTML, and for sources */
export async function readFolder(options: Omit<Folder, 'base'> & { base: string | undefined }): Promise<Source> {
  const { folder, base } = options;
  await refuseCheckout(folder);
  if (base === undefined)
    throw new OperatorError(`${folder} is a folder: give --base with the url of the site's root.`);
  const files: FolderFile[] = [];
  for await (const file of walkFiles(folder)) files.push(file);
  const names = files.map(({ path }) => path);
  if (!names.some((path) => HTML.test(path))) throw noHtml(folder, names);
  return readItems({ ...options, base }, files);
}

async function* readItems(site: Folder, files: readonly FolderFile[]): Source {
  const { folder, base, leftOut } = site;
  yield* refusedLinks(folder, files);
  const regular = files.flatMap(({ path, isLink }) => (isLink ? [] : [path]));
  const pages = regular.filter((path) => HTML.test(path) && !NOT_FOUND.test(path));
  const urls = new FileUrls(base, new Set(pages));
  for (const path of regular)
    if (NOT_FOUND.test(path) && path.includes('/'))
      leftOut.add('404.html is the page for missing pages', { where: path });
  yield* readFolderSitemaps(folder, new Set(regular), urls);
  urls.setStyle(await sampleLinks(folder, pages, urls));
  const emitted = new Set<string>();
  const copies: Copy[] = [];
  for (const file of pages) {
    const item = await readHtmlFile(folder, file, urls);
    if (item.kind === 'no-page') leftOut.add(item.reason, { where: file });
    else if (item.kind === 'copy') copies.push(item);
    else {
      if (item.kind === 'page') emitted.add(file);
      yield item;
    }
  }
  yield* settleCopies(site, urls, copies, emitted);
  yield* readRedirectFiles(folder);
}

/** Names the links that could be pages. `isRule`: they never were pages, so refusing them must not stop a prune. */
async function* refusedLinks(folder: string, files: readonly FolderFile[]): Source {
  for (const { path, isLink } of files) {
    if (!isLink) continue;
    const target = await stat(join(folder, path)).catch(() => undefined);
    if (HTML.test(path) || target?.isDirectory()) yield { kind: 'refused', where: path, reason: LINK, isRule: true };
  }
}

/**
 * Leaves copies out if their canonical page exists; those without text become redirects to it. Other copies, and one of
 * each circle, become pages. These are read again, which saves the memory of their text.
 */
async function* settleCopies(
  { folder, leftOut }: Folder,
  urls: FileUrls,
  copies: readonly Copy[],
  emitted: Set<string>,
): Source {
  const byFile = new Map(copies.map((copy) => [copy.file, copy]));
  const settled = new Set<Copy>();
  for (const first of copies) {
    const chain: Copy[] = [];
    for (let copy: Copy | undefined = first; copy && !settled.has(copy); copy = byFile.get(copy.canonicalFile)) {
      settled.add(copy);
      chain.push(copy);
    }
    for (const { file, url, canonical, canonicalFile, isStub } of chain.reverse()) {
      if (emitted.has(canonicalFile)) {
        emitted.add(file);
        if (isStub) yield { kind: 'redirect', from: url, to: canonical, where: file };
        else leftOut.add('another url is canonical', { where: file, instead: canonical });
        continue;
      }
      const item = await readHtmlFile(folder, file, urls, true);
      if (item.kind === 'page') emitted.add(file);
      if (item.kind !== 'no-page' && item.kind !== 'copy') yield item;
    }
  }
}

/** Matches configurations of generators, which no built folder has. */
const CONFIGURATION =
  /^(?:hugo\.(?:toml|ya?ml|json)|_config\.(?:ya?ml|toml)|docusaurus\.config\.[cm]?[jt]s|mkdocs\.ya?ml|\.eleventy\.[cm]?js|eleventy\.config\.[cm]?[jt]s|conf\.py)$/;
/** Hugo's older name, which other tools use too: it counts only next to a folder `content`. */
const OLD_HUGO = /^config(?:\.(?:toml|ya?ml|json))?$/;
/** Folders of a checkout that may have the configuration. */
const PLACES = ['', 'docs', 'source', 'docs/source'];
/** Folders into which generators write. */
const BUILT = ['public', '_site', 'build', 'site', 'dist', '_build/html', 'build/html', 'docs/_build/html'];

const ADVICE = 'Build the site, and sync the folder with its HTML: public/, _site/, build/, site/ or dist/.';

/** @throws OperatorError for sources: a generator's configuration, or a built folder beside no home page */
async function refuseCheckout(folder: string): Promise<void> {
  for (const place of PLACES) {
    const names = await readdir(join(folder, place)).catch((): string[] => []);
    const configuration =
      names.find((name) => CONFIGURATION.test(name)) ??
      (names.includes('content') ? names.find((name) => OLD_HUGO.test(name)) : undefined);
    if (configuration === undefined) continue;
    const file = place === '' ? configuration : `${place}/${configuration}`;
    throw new OperatorError(`${folder} has the sources of a site (${file}), not its pages. ${adviceFor(folder)}`);
  }
  if (!hasHome(folder) && builtIn(folder) !== undefined)
    throw new OperatorError(`${folder} has no index.html. ${adviceFor(folder)}`);
}

/** Explains why a folder without HTML is refused. */
function noHtml(folder: string, names: readonly string[]): OperatorError {
  const sources = names.find((name) => /\.(?:md|mdx|markdown|rst|adoc)$/i.test(name));
  const problem = sources === undefined ? 'has no HTML file.' : `has sources of pages (${sources}), but no HTML file.`;
  return new OperatorError(`${folder} ${problem} ${adviceFor(folder)}`);
}

function adviceFor(folder: string): string {
  const built = builtIn(folder);
  return built === undefined ? ADVICE : `Sync the folder that was built: ${join(folder, built)}.`;
}

function builtIn(folder: string): string | undefined {
  return BUILT.find((name) => hasHome(join(folder, name)));
}

function hasHome(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}
