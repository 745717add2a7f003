import { ApiError, invalid } from '../base/errors.js';
import { readLines } from '../text/read-lines.js';
import { parseJson } from '../base/json.js';
import { MAX_CHARACTERS, MAX_UPSERTS, type UpsertedPage } from './upsert-pages.js';
import type { PushedPage } from './check-page.js';

/** A row of the file that is not a valid page, and why. */
export interface BadRow {
  line: number;
  reason: string;
}

export interface ImportReport {
  created: number;
  updated_content: number;
  updated_metadata: number;
  unchanged: number;
  /** Not stored: a later row of the same batch has their url, and counts. */
  overwritten: number;
  bad: BadRow[];
}

/**
 * Reads a JSON-lines file of pages, `{url, title, content, metadata}` as in the upsert endpoint, and upserts them in
 * batches. When rows of a batch share a url, the last one counts. Bad rows are reported and do not stop the import.
 */
export async function importPages(
  file: string,
  check: (row: Record<string, unknown>) => PushedPage,
  upsert: (pages: PushedPage[]) => Promise<UpsertedPage[]>,
  onProgress: (lines: number) => void,
): Promise<ImportReport> {
  const report: ImportReport = {
    created: 0,
    updated_content: 0,
    updated_metadata: 0,
    unchanged: 0,
    overwritten: 0,
    bad: [],
  };
  let batch = new Map<string, PushedPage>();
  let characters = 0;
  let line = 0;
  const flush = async (): Promise<void> => {
    if (batch.size > 0)
      for (const page of await upsert([...batch.values()])) report[page.changed ? page.action : 'unchanged']++;
    batch = new Map();
    characters = 0;
    onProgress(line);
  };
  for await (const text of readLines(file)) {
    line++;
    if (typeof text === 'string' && text.trim() === '') continue;
    try {
      if (typeof text !== 'string') throw invalid(undefined, text.message);
      const page = check(parseRow(text));
      if (batch.has(page.url.href)) report.overwritten++;
      batch.set(page.url.href, page);
      characters += page.content.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      report.bad.push({ line, reason: error.message });
    }
    if (batch.size >= MAX_UPSERTS || characters >= MAX_CHARACTERS) await flush();
  }
  await flush();
  return report;
}

function parseRow(text: string): Record<string, unknown> {
  let row: unknown;
  try {
    row = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ApiError('invalid_request', { message: 'not valid JSON', cause: error });
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw new ApiError('invalid_request', { message: 'not a JSON object' });
  return row as Record<string, unknown>;
}
