import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { CompiledRules } from '../../rule-formats/own-exports.js';
import { importRedirects } from './import-redirects.js';
import { type RedirectReport } from './store-batch.js';
import type { RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import { readRedirects } from './rules-for-servers.js';

/**
 * Imports a file of rules. What an export made of the project's own redirects changes nothing.
 * @throws OperatorError if there are too many, or the file is none of rules
 */
export function importRules(
  deps: { db: Db; clock: Clock },
  projectId: string,
  file: string,
  onProgress: (lines: number) => void,
  format?: RedirectFormat,
): Promise<RedirectReport> {
  const compiled = async (): Promise<CompiledRules> => {
    const { known, wildcards } = await readRedirects(deps.db, projectId);
    return CompiledRules.of(known, wildcards);
  };
  return importRedirects({ db: deps.db, clock: deps.clock, compiled }, projectId, file, onProgress, format);
}
