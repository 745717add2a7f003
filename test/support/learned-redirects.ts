import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importRules } from '#src/rules/import-export/import-redirects.js';
import { type RedirectReport } from '#src/rules/import-export/redirect-report.js';
import { learnSectionRedirects } from '#src/rules/learn-redirects-job.js';
import type { Service } from '#src/app/service.js';
import type { TestProject } from './service.js';
import { query } from './sql.js';

/** Pushes pages by their paths and waits until they are indexed; returns their ids by path. */
export async function pushPages(project: TestProject, ...paths: string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const path of paths) {
    const { body } = await project.upsert({
      url: `https://shop.example${path}`,
      content: `All that there is to say about ${path}.`,
    });
    ids.set(path, String(body.page_id));
  }
  await project.indexed();
  return ids;
}

/** Imports `/old /new` lines as the command does, and learns from them. */
export async function redirect(
  service: Service,
  project: TestProject,
  folder: string,
  ...lines: string[]
): Promise<RedirectReport> {
  const { db } = service;
  const file = join(folder, `${project.row.project_id}.redirects`);
  await writeFile(file, lines.join('\n'));
  const report = await importRules({ db, clock: service.deps.clock }, project.row.project_id, file, () => undefined);
  await learnSectionRedirects(service.deps.tenants.of(project.row.project_id));
  return report;
}

/** A project's section moves as `old → new`, in order. */
export async function sectionsOf(service: Service, project: TestProject): Promise<string[]> {
  const rows = await query<{ section: string }>(
    service,
    `select old_prefix || ' → ' || new_prefix as section from pathmend.section_redirects where project_id = $1 order by 1`,
    [project.row.project_id],
  );
  return rows.map(({ section }) => section);
}

export async function indexVersionOf(service: Service, project: TestProject): Promise<number> {
  const [row] = await query<{ version: string }>(
    service,
    'select version from pathmend.index_versions where project_id = $1',
    [project.row.project_id],
  );
  return Number(row?.version ?? 1);
}
