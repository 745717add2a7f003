import { ApiError, invalid } from '../base/errors.js';
import { readLines } from '../text/read-lines.js';
import { parseRow } from '../sources/rows/page-rows.js';
import { MAX_CHARACTERS, MAX_UPSERTS, type UpsertedPage } from './upsert-pages.js';
import type { PushedPage } from './check-page.js';

/** Upserts the pages of a JSON-lines file in batches; reports bad rows. The last of a url's rows in a batch wins. */
export async function importPages(
  file: string,
  check: (row: Record<string, unknown>) => PushedPage,
  upsert: (pages: PushedPage[]) => Promise<UpsertedPage[]>,
  onProgress: (lines: number) => void,
) {
  const report = {
    created: 0,
    updated_content: 0,
    updated_metadata: 0,
    unchanged: 0,
    /** Rows replaced by a later row of the same batch and url. */
    overwritten: 0,
    bad: [] as { line: number; reason: string }[],
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
      const row = typeof text === 'string' ? parseRow(text) : text.message;
      if (typeof row === 'string') throw invalid(undefined, row);
      const page = check(row);
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
