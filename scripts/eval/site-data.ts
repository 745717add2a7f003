import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parsePageUrl } from '#src/text/page-url.js';
import { overlapOf } from './path-words.js';
import { readJsonLines, textField, type JsonLine } from './read-lines.js';

/** A site to measure on: what a customer would push, and cases with the page that is right. */
export interface SiteData {
  name: string;
  pagesFile: string;
  pages: SitePage[];
  redirects: Case[];
  typos: Case[];
  queries: Case[];
  /** Dead paths in visitors' own words, of which the right page has few. */
  meant_paths: Case[];
  /** Questions in such words. */
  meant_questions: Case[];
  /** The rows that were not measured, and why: for readers of the result. */
  leftOut: LeftOut[];
}

export interface SitePage {
  /** The url with its scheme and host. */
  url: string;
  /** Url path with query string, as suggestions carry it. */
  path: string;
  title: string;
  content: string;
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

export interface LeftOut {
  reason: string;
  count: number;
  /** A few of them, such as `redirects.csv:12: /old/*`. */
  examples: string[];
}

export const CASE_KINDS = ['redirects', 'typos', 'queries', 'meant_paths', 'meant_questions'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

/** Whether a kind's cases are questions, or else paths. */
export function isQuestion(kind: CaseKind): boolean {
  return kind === 'queries' || kind === 'meant_questions';
}

/** This many old paths to one page are a catch-all: it is not known that each of them meant this page. */
export const CATCH_ALL = 20;

/**
 * Reads a folder with pages.jsonl and any of redirects.jsonl, typos.jsonl, queries.jsonl and meaning.jsonl. Each row of
 * meaning.jsonl has a path and a question. Redirects marked `catch_all` (twenty or more old paths sent to one page) are
 * left out: no page is the one that was wanted.
 * @param meaning the file to read in place of the folder's meaning.jsonl
 * @throws OperatorError that names the file and line.
 */
export async function readSite(folder: string, meaning = join(folder, 'meaning.jsonl')): Promise<SiteData> {
  const pagesFile = join(resolve(folder), 'pages.jsonl');
  const read = (kind: CaseKind): Promise<JsonLine[]> => readAny(join(folder, `${kind}.jsonl`));
  const meant = await readMeant(meaning);
  const redirects = await read('redirects');
  const wanted = redirects.filter((line) => line.row['catch_all'] !== true);
  const catchAlls = redirects.length - wanted.length;
  return {
    name: basename(resolve(folder)),
    pagesFile,
    pages: await readPages(pagesFile),
    redirects: wanted.map((line) => withOverlap(toCase(line, 'path'))),
    typos: (await read('typos')).map((line) => toCase(line, 'path')),
    queries: (await read('queries')).map((line) => toCase(line, 'query')),
    meant_paths: meant.paths,
    meant_questions: meant.questions,
    leftOut:
      catchAlls === 0
        ? []
        : [{ reason: `one of ${CATCH_ALL} or more old paths to one page`, count: catchAlls, examples: [] }],
  };
}

async function readAny(file: string): Promise<JsonLine[]> {
  return existsSync(file) ? readJsonLines(file) : [];
}

/** The cases of a `meaning.jsonl`; none if it is not there. Throws as {@link readSite}. */
export async function readMeant(file: string): Promise<{ paths: Case[]; questions: Case[] }> {
  const lines = await readAny(file);
  return {
    paths: lines.map((line) => toCase(line, 'path')),
    questions: lines.map((line) => toCase(line, 'question')),
  };
}

/** Questions about what stands deep in long pages; none if the file is not there. Throws as {@link readSite}. */
export async function readDeepQuestions(file: string): Promise<Case[]> {
  return (await readAny(file)).map((line) => toCase(line, 'question'));
}

/**
 * The pages of a file as `pages import` takes them; what it would refuse is refused again, by line, when they are
 * indexed.
 * @throws OperatorError that names the file and line.
 */
export async function readPages(file: string): Promise<SitePage[]> {
  return (await readJsonLines(file)).flatMap(({ row }) => {
    const url = parsePageUrl(typeof row['url'] === 'string' ? row['url'] : '');
    if (!url) return [];
    const text = (name: string): string => (typeof row[name] === 'string' ? row[name] : '');
    return [{ url: url.href, path: url.path, title: text('title'), content: text('content') }];
  });
}

/** At most `most` cases, evenly spread over all. */
export function spread<One>(cases: readonly One[], most: number): One[] {
  if (cases.length <= most) return [...cases];
  return Array.from({ length: most }, (_, i) => cases[Math.floor((i * cases.length) / most)] as One);
}

/** The overlap class of a redirect, as the data's README divides them. */
export const OVERLAP_CLASSES = ['0.5 and more', '0.2 to 0.5', 'below 0.2'] as const;
export type OverlapClass = (typeof OVERLAP_CLASSES)[number];

export function overlapClass(overlap: number): OverlapClass {
  return overlap >= 0.5 ? '0.5 and more' : overlap >= 0.2 ? '0.2 to 0.5' : 'below 0.2';
}

/** Says how much the words of old and new path agree, where the data does not. */
export function withOverlap(testCase: Case): Case {
  return testCase.overlap === undefined
    ? { ...testCase, overlap: overlapOf(testCase.input, testCase.right[0] ?? '') }
    : testCase;
}

function toCase(line: JsonLine, input: 'path' | 'query' | 'question'): Case {
  const { row } = line;
  const alsoOk = Array.isArray(row['also_ok']) ? row['also_ok'].filter((url) => typeof url === 'string') : [];
  return {
    input: textField(line, input),
    right: [textField(line, 'expected'), ...alsoOk].map((url) => parsePageUrl(url)?.path ?? url),
    kind: typeof row['kind'] === 'string' ? row['kind'] : '',
    ...(typeof row['overlap'] === 'number' ? { overlap: row['overlap'] } : {}),
  };
}
