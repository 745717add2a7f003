import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { systemClock } from '#src/base/clock.js';
import { importRules } from '#src/rules/import-export/import-redirects.js';
import { learnSectionRedirects } from '#src/rules/learn-redirects-job.js';
import type { Service } from '#src/app/service.js';
import type { Case } from './site-data.js';

/** Fewer teach nothing that could be measured. */
export const MIN_KNOWN = 5;

/** A site's redirects, every other one: those that the project knows, and those that it is then asked for. */
export function halve(redirects: readonly Case[]): { known: Case[]; heldOut: Case[] } {
  return {
    known: redirects.filter((_, at) => at % 2 === 0),
    heldOut: redirects.filter((_, at) => at % 2 === 1),
  };
}

/** Imports redirects as `redirects import` does. */
export async function importCases(service: Service, projectId: string, cases: readonly Case[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-eval-'));
  try {
    const file = join(folder, 'redirects.jsonl');
    await writeFile(
      file,
      cases.map(({ input, right }) => `${JSON.stringify({ path: input, expected: right[0] })}\n`).join(''),
    );
    await importRules({ db: service.db, clock: systemClock }, projectId, file, () => undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
  await learnSectionRedirects(service.deps.tenants.of(projectId));
  await waitUntilVisible();
}
