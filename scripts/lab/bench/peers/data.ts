import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CASE_KINDS, readSite, spread, type CaseKind } from '../../../eval/site-data.js';
import { random } from '../../../seeded.js';
import { writeManyPages } from '../../../service/index-many-pages.js';

/** As many answers as every contender gives. */
export const ANSWERS = 3;

/** A page as every contender gets it; `path` is the url path with its query string. */
export interface BenchPage {
  url: string;
  path: string;
  title: string;
  content: string;
}

export interface BenchCase {
  kind: CaseKind;
  input: string;
  /** Url paths of the right answers. */
  right: string[];
}

export interface BenchData {
  /** JSON lines, as `pages import` takes them. */
  pagesFile: string;
  cases: BenchCase[];
  /** Pages of real sites; the others are made. */
  realPages: number;
}

/** The pages of a size: real sites, the smallest first, while they fit, and made ones. */
export async function prepareData(
  siteFolders: readonly string[],
  count: number,
  most: number,
  folder: string,
): Promise<BenchData> {
  const sites = (await Promise.all(siteFolders.map((site) => readSite(site)))).sort(
    (a, b) => a.pages.length - b.pages.length,
  );
  const pages: BenchPage[] = [];
  const cases: BenchCase[] = [];
  for (const site of sites) {
    if (pages.length + site.pages.length > count) break;
    pages.push(...site.pages);
    for (const kind of CASE_KINDS) {
      // Evenly spread, so the same on every run.
      for (const { input, right } of spread(site[kind], most)) cases.push({ kind, input, right });
    }
  }
  const realPages = pages.length;
  const { file, remove } = await writeManyPages(count - realPages, 0);
  for (const line of (await readFile(file, 'utf8')).split('\n').filter((one) => one !== '')) {
    const { url, content } = JSON.parse(line) as { url: string; content: string };
    pages.push({ url, path: new URL(url).pathname, title: '', content });
  }
  await remove();
  const pagesFile = join(folder, 'pages.jsonl');
  await writeFile(pagesFile, `${pages.map((page) => JSON.stringify(page)).join('\n')}\n`);
  // Else cases of one site would be asked one after the other.
  const next = random(1);
  const mixed = cases.map((one) => ({ one, at: next() })).sort((a, b) => a.at - b.at);
  return { pagesFile, cases: mixed.map(({ one }) => one), realPages };
}
