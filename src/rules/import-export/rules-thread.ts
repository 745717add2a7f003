/**
 * The entry of the thread that reads files of rules or old urls, writes rules of servers, and learns wildcards.
 * rules-in-thread.ts starts it.
 */
import { Readable } from 'node:stream';
import { openTenant, type TenantAddress } from '../../platform/database/session/tenants.js';
import { serveWorkThread } from '../../platform/run-in-thread.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import { readRulesOf, type RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import type { ExportFormat } from '../../rule-formats/write/formats.js';
import { readOldUrls } from '../../sources/rows/old-urls.js';
import { openText } from '../../sources/rows/open-text.js';
import type { NoOldUrl, OldUrl } from '../../sources/source.js';
import { learnWildcards } from '../proposals/learned-rules.js';
import { exportRules, shorten } from './export-rules.js';

export type RulesTask =
  | { task: 'read'; file: string; format: RedirectFormat | undefined; columns: ColumnNames | undefined }
  | { task: 'old urls'; file: string }
  | { task: 'write'; tenant: TenantAddress; format: ExportFormat }
  | { task: 'learn'; tenant: TenantAddress };

const BATCH = 500;
/** The maximum number of characters that are kept of each text in a list of old urls; a path has fewer. */
const MAX_KEPT = 4_000;

async function* inBatches<Element>(all: AsyncIterable<Element>): AsyncGenerator<Element[]> {
  let batch: Element[] = [];
  for await (const element of all) {
    if (batch.push(element) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function* readList(file: string): AsyncGenerator<OldUrl | NoOldUrl> {
  const { name, chunks } = await openText(file, Readable.from([]), true);
  for await (const oldUrl of readOldUrls(name, chunks))
    yield 'reason' in oldUrl
      ? oldUrl
      : {
          ...oldUrl,
          old: oldUrl.old.slice(0, MAX_KEPT),
          title: oldUrl.title.slice(0, MAX_KEPT),
          content: oldUrl.content.slice(0, MAX_KEPT),
        };
}

async function* workOn(task: RulesTask): AsyncGenerator {
  if (task.task === 'read') yield* inBatches(readRulesOf(task.file, task.format, () => undefined, task.columns));
  else if (task.task === 'old urls') yield* inBatches(readList(task.file));
  else {
    const tenant = openTenant(task.tenant);
    try {
      if (task.task === 'learn') yield await learnWildcards(tenant);
      else yield shorten(await exportRules(tenant.db, tenant.projectId, task.format));
    } finally {
      await tenant.close();
    }
  }
}

await serveWorkThread((data) => workOn(data as RulesTask));
