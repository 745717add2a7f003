import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines } from '#src/text/read-lines.js';
import { CASE_KINDS, isQuestion, readSite, spread, type CaseKind } from '../../../eval/site-data.js';
import { chooseTakenOff } from '../../../eval/taken-off.js';
import { random } from '../../../seeded.js';
import { writeManyPages } from '../../../service/index-many-pages.js';

/** The number of answers that every contender gives. */
export const ANSWERS = 3;

/** A page as every contender gets it; `path` is the url path with its query string. */
export interface BenchPage {
  url: string;
  path: string;
  title: string;
  content: string;
}

export interface BenchCase {
  kind: CaseKind | 'taken_off';
  field: 'path' | 'query';
  input: string;
  /** Url paths of the right answers; none for a page that was taken off. */
  right: string[];
}

export interface BenchData {
  /** JSON lines, as `pages import` takes them. */
  pagesFile: string;
  pages: BenchPage[];
  cases: BenchCase[];
  /** Pages of real sites; the others are made. */
  realPages: number;
}

/**
 * Gathers `count` pages: real sites, the smallest first, while they fit, and made ones. Some pages of each site are
 * taken off: no contender gets them, and their paths are asked for.
 */
export async function prepareData(
  siteFolders: readonly string[],
  count: number,
  most: number,
  folder: string,
): Promise<BenchData> {
  const sites = (await Promise.all(siteFolders.map((site) => readSite(site)))).sort(
    (a, b) => a.pages.length - b.pages.length,
  );
  const pages = new Map<string, BenchPage>();
  const cases: BenchCase[] = [];
  for (const site of sites) {
    if (pages.size + site.pages.length > count) break;
    const takenOff = new Set(chooseTakenOff(site.pages, most).map(({ path }) => path));
    for (const input of takenOff) cases.push({ kind: 'taken_off', field: 'path', input, right: [] });
    // Two sites may have pages at one path, which a project keeps once.
    for (const page of site.pages) if (!takenOff.has(page.path) && !pages.has(page.path)) pages.set(page.path, page);
    for (const kind of CASE_KINDS) {
      const answerable = site[kind].filter(({ right }) => right.some((path) => !takenOff.has(path)));
      // Evenly spread, so the same on every run.
      for (const { input, right } of spread(answerable, most))
        cases.push({ kind, field: isQuestion(kind) ? 'query' : 'path', input, right });
    }
  }
  const realPages = pages.size;
  const { file, remove } = await writeManyPages(count - realPages, 0);
  for (const line of (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')) {
    const { url, content } = JSON.parse(line) as { url: string; content: string };
    const { pathname } = new URL(url);
    pages.set(pathname, { url, path: pathname, title: '', content });
  }
  await remove();
  const pagesFile = join(folder, 'pages.jsonl');
  const all = [...pages.values()];
  await writeFile(pagesFile, `${all.map((page) => JSON.stringify(page)).join('\n')}\n`);
  // The cases are mixed: else those of one site would be asked one after the other.
  const next = random(1);
  const mixed = cases.map((benchCase) => ({ benchCase, at: next() })).sort((a, b) => a.at - b.at);
  return { pagesFile, pages: all, cases: mixed.map(({ benchCase }) => benchCase), realPages };
}

/** The pages in order, some at a time: a hundred thousand at once would count as the engine's memory. */
export async function* pageBatches(file: string, size: number): AsyncGenerator<{ from: number; pages: BenchPage[] }> {
  let from = 0;
  let pages: BenchPage[] = [];
  for await (const line of readLines(file)) {
    pages.push(JSON.parse(String(line)) as BenchPage);
    if (pages.length < size) continue;
    yield { from, pages };
    from += pages.length;
    pages = [];
  }
  if (pages.length > 0) yield { from, pages };
}
