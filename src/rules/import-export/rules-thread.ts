/** Entry of the thread that reads files of rules and writes rules of servers; rules-apart.ts starts it. */
import { openTenant, type TenantAddress } from '../../platform/database/session/tenants.js';
import { serveApart } from '../../platform/work-apart.js';
import type { LocatedRule } from '../../rule-formats/read/read-rule.js';
import { readRulesOf, type RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import type { ExportFormat } from '../../rule-formats/write/formats.js';
import { learnWildcards } from '../proposals/learned-rules.js';
import { exportRules } from './export-rules.js';

export type RulesTask =
  | { task: 'read'; file: string; format: RedirectFormat | undefined }
  | { task: 'write'; tenant: TenantAddress; format: ExportFormat }
  | { task: 'learn'; tenant: TenantAddress };

const BATCH = 500;

async function* readBatches(file: string, format: RedirectFormat | undefined): AsyncGenerator<LocatedRule[]> {
  let batch: LocatedRule[] = [];
  for await (const rule of readRulesOf(file, format, () => undefined)) {
    if (batch.push(rule) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function* workOn(task: RulesTask): AsyncGenerator {
  if (task.task === 'read') {
    yield* readBatches(task.file, task.format);
    return;
  }
  const tenant = openTenant(task.tenant);
  try {
    if (task.task === 'learn') yield await learnWildcards(tenant);
    else yield new TextEncoder().encode((await exportRules(tenant.db, tenant.projectId, task.format)).text);
  } finally {
    await tenant.close();
  }
}

await serveApart((data) => workOn(data as RulesTask));
