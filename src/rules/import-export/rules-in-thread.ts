import type { TenantAddress } from '../../platform/database/session/tenants.js';
import { threadTurns, runInThread } from '../../platform/run-in-thread.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import type { LocatedRule } from '../../rule-formats/read/read-rule.js';
import type { RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import type { ExportFormat } from '../../rule-formats/write/formats.js';
import type { NoOldUrl, OldUrl } from '../../sources/source.js';
import type { Learned } from '../proposals/learned-rules.js';
import type { ShortExport } from './export-rules.js';
import type { RulesTask } from './rules-thread.js';

const url = new URL('./rules-thread.js', import.meta.url);
/** Half a million characters take a second. */
const MAX_READ_MS = 30_000;
/** 100,000 redirects take some seconds. */
const MAX_WRITE_MS = 60_000;
/** Learning from all redirects is part of a job, too, and may look through a million pages. */
const MAX_LEARN_MS = 600_000;

const runTask = <Output>(workerData: RulesTask, withinMs: number, late: string): AsyncGenerator<Output> =>
  runInThread<Output>({ url, workerData, withinMs, late });

/** Reads a file as `readRulesOf` does, on a thread: files that people send take no time from the answers to others. */
export async function* readRulesInThread(
  file: string,
  format: RedirectFormat | undefined,
  _onLine?: () => void,
  columns?: ColumnNames,
): AsyncGenerator<LocatedRule> {
  const late = `${file} takes longer than ${MAX_READ_MS / 1_000} s to read: \`pathmend redirects import\` has more time.`;
  for await (const rules of runTask<LocatedRule[]>({ task: 'read', file, format, columns }, MAX_READ_MS, late))
    yield* rules;
}

/** Reads a file as `readOldUrls` does, on a thread. It keeps only as much of a page's texts as searches use. */
export async function* readOldUrlsInThread(file: string): AsyncGenerator<OldUrl | NoOldUrl> {
  const late = `${file} takes longer than ${MAX_READ_MS / 1_000} s to read: \`pathmend redirects map\` has more time.`;
  for await (const urls of runTask<(OldUrl | NoOldUrl)[]>({ task: 'old urls', file }, MAX_READ_MS, late)) yield* urls;
}

/**
 * Does the work of `exportRules` on a thread, which reads the rules by a connection of its own.
 * @throws OperatorError if there are too many redirects, or it takes too long
 */
export async function exportRulesInThread(tenant: TenantAddress, format: ExportFormat): Promise<ShortExport> {
  const late = `This takes longer than ${MAX_WRITE_MS / 1_000} s here: \`pathmend redirects export\` has more time.`;
  for await (const made of runTask<ShortExport>({ task: 'write', tenant, format }, MAX_WRITE_MS, late)) return made;
  throw new Error('the thread wrote nothing');
}

/** Learns wildcards as `learnWildcards` does, on a thread. */
export function learnWildcardsInThread(tenant: TenantAddress): Promise<Learned[]> {
  const late = `It takes longer than ${MAX_LEARN_MS / 60_000} min to learn from all redirects.`;
  return threadTurns.run(tenant.projectId, async () => {
    for await (const learned of runTask<Learned[]>({ task: 'learn', tenant }, MAX_LEARN_MS, late)) return learned;
    throw new Error('the thread learned nothing');
  });
}
