import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parsePageUrl } from '#src/pages/page-url.js';

/** A site to measure on: what a customer would push, and cases with the page that is right. */
export interface SiteData {
  name: string;
  pagesFile: string;
  pages: { path: string; title: string; content: string }[];
  redirects: Case[];
  typos: Case[];
  queries: Case[];
}

export interface Case {
  /** A dead path, or a question. */
  input: string;
  /** Url paths of the right answers. */
  right: string[];
  kind: string;
  /** Redirects: Jaccard of the words of the old and new path. */
  overlap?: number;
}

interface Row {
  url?: string;
  path?: string;
  query?: string;
  expected?: string;
  also_ok?: string[];
  kind?: string;
  overlap?: number;
  catch_all?: boolean;
  title?: string | null;
  content?: string;
}

/**
 * Reads a folder with pages.jsonl and any of redirects.jsonl, typos.jsonl and queries.jsonl. Redirects marked
 * `catch_all` (twenty or more old paths sent to one page) are left out: no page is the one that was wanted.
 */
export async function readSite(folder: string): Promise<SiteData> {
  const pagesFile = join(resolve(folder), 'pages.jsonl');
  const [pages, redirects, typos, queries] = await Promise.all(
    ['pages', 'redirects', 'typos', 'queries'].map((name) => readRows(join(folder, `${name}.jsonl`))),
  );
  return {
    name: basename(resolve(folder)),
    pagesFile,
    pages: (pages ?? []).map((row) => ({ path: pathOf(row.url ?? ''), title: row.title ?? '', content: row.content ?? '' })),
    redirects: toCases((redirects ?? []).filter((row) => row.catch_all !== true)),
    typos: toCases(typos ?? []),
    queries: toCases(queries ?? []),
  };
}

/** At most `most` cases, evenly spread over all. */
export function spread(cases: readonly Case[], most: number): Case[] {
  if (cases.length <= most) return [...cases];
  return Array.from({ length: most }, (_, i) => cases[Math.floor((i * cases.length) / most)] as Case);
}

async function readRows(file: string): Promise<Row[]> {
  if (!existsSync(file)) return [];
  const text = await readFile(file, 'utf8');
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as Row]));
}

function toCases(rows: Row[]): Case[] {
  return rows.map((row) => ({
    input: row.path ?? row.query ?? '',
    right: [row.expected ?? '', ...(row.also_ok ?? [])].map(pathOf),
    kind: row.kind ?? '',
    ...(row.overlap === undefined ? {} : { overlap: row.overlap }),
  }));
}

function pathOf(url: string): string {
  return parsePageUrl(url)?.path ?? url;
}
