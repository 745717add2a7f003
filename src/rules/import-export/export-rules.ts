import type { Db } from '../../platform/database/db.js';
import type { ExportFormat } from '../../rule-formats/write/formats.js';
import { compileExport, type Exported } from './compile-export.js';
import { readRedirects } from './rules-for-servers.js';
import { listPageUrls } from '../store/page-urls.js';

/**
 * A project's redirects as rules of a web server, or as data. It takes seconds of the thread: a service has
 * `exportRulesApart`.
 * @param literal one rule for each redirect, without wildcards in their place
 * @param absolute with the host in addresses of the site's own pages
 * @throws OperatorError if there are too many
 */
export async function exportRules(
  db: Db,
  projectId: string,
  format: ExportFormat,
  literal = false,
  absolute = false,
): Promise<Exported> {
  const rules = await readRedirects(db, projectId);
  return compileExport(rules, listPageUrls(db, projectId), format, { literal, absolute });
}
