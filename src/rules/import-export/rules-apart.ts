import type { Db } from '../../platform/database/db.js';
import { workApart } from '../../platform/work-apart.js';
import type { LocatedRule } from '../../rule-formats/read/read-rule.js';
import type { RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import type { ExportFormat } from '../../rule-formats/write/formats.js';
import { listPageUrls } from '../store/page-urls.js';
import { readRedirects } from './rules-for-servers.js';
import type { RulesInput, RulesTask } from './rules-thread.js';

const url = new URL('./rules-thread.js', import.meta.url);
/** Half a million characters take a second. */
const MAX_READ_MS = 30_000;
/** 100,000 redirects take some seconds. */
const MAX_WRITE_MS = 60_000;
const BATCH_ROWS = 1_000;

/** As `readRulesOf`, on a thread: files that people send take no time from the answers to others. */
export async function* readRulesApart(file: string, format: RedirectFormat | undefined): AsyncGenerator<LocatedRule> {
  const workerData: RulesTask = { task: 'read', file, format };
  const late = `${file} takes longer than ${MAX_READ_MS / 1_000} s to read: \`pathmend redirects import\` has more time.`;
  for await (const rules of workApart<LocatedRule[]>({ url, workerData, withinMs: MAX_READ_MS, late })) yield* rules;
}

/**
 * The text of `exportRules`, in UTF-8, made on a thread.
 * @throws OperatorError if there are too many, or it takes too long
 */
export async function exportRulesApart(db: Db, projectId: string, format: ExportFormat): Promise<Uint8Array> {
  const workerData: RulesTask = { task: 'write', format };
  const late = `This takes longer than ${MAX_WRITE_MS / 1_000} s here: \`pathmend redirects export\` has more time.`;
  const input = rowsOf(db, projectId);
  for await (const text of workApart<Uint8Array>({ url, workerData, input, withinMs: MAX_WRITE_MS, late })) return text;
  throw new Error('the thread wrote nothing');
}

/** To hand over many rows at once would take as long as the work. */
async function* rowsOf(db: Db, projectId: string): AsyncGenerator<RulesInput> {
  const found = Object.entries(await readRedirects(db, projectId)) as [string, unknown[]][];
  for (const [list, rows] of found)
    for (let at = 0; at < rows.length; at += BATCH_ROWS)
      yield { list, rows: rows.slice(at, at + BATCH_ROWS) } as RulesInput;
  let urls: string[] = [];
  for await (const page of listPageUrls(db, projectId)) {
    if (urls.push(page) < BATCH_ROWS) continue;
    yield { list: 'pages', rows: urls };
    urls = [];
  }
  yield { list: 'pages', rows: urls };
}
