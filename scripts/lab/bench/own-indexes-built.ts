import { setTimeout } from 'node:timers/promises';
import { parseConfig } from '#src/platform/settings/config.js';
import { connect } from '#src/platform/database/session/connect.js';
import { findLargeProjects } from '#src/pages/store/segments.js';
import { findDueBuild } from '#src/pages/large-projects/build-segments-job.js';

/**
 * A large project is scanned until its own indexes are there: resolves when they are, of the only project of a
 * database.
 */
export async function ownIndexesBuilt(databaseUrl: string): Promise<void> {
  const { ownIndexPassages } = parseConfig(process.env);
  const connection = connect({ url: databaseUrl, max: 1, applicationName: 'bench', onIdleError: () => undefined });
  const [project] = await findLargeProjects(connection.db, 1);
  // As if all were quiet already: what is put together then is waited for.
  const due = async (): Promise<boolean> =>
    project !== undefined && (await findDueBuild(connection.db, project, ownIndexPassages, 0))?.due !== undefined;
  while (await due()) await setTimeout(1_000);
  await connection.close();
}
