import { setTimeout } from 'node:timers/promises';
import { parseConfig } from '#src/config.js';
import { connect } from '#src/database/connect.js';
import { growthOf, largeProjects } from '#src/database/queries/own-indexes.js';
import { indexesAreDue } from '#src/jobs/build-indexes.js';

/** A large project is scanned until its own indexes are there: resolves when they are, of the only project of a database. */
export async function ownIndexesBuilt(databaseUrl: string): Promise<void> {
  const { ownIndexPassages } = parseConfig(process.env);
  const connection = connect({ url: databaseUrl, max: 1, applicationName: 'bench', onIdleError: () => undefined });
  const [project] = await largeProjects(connection.db, 1);
  const due = async (): Promise<boolean> => {
    const growth = project === undefined ? undefined : await growthOf(connection.db, project, ownIndexPassages + 1_000_000);
    return growth !== undefined && indexesAreDue(ownIndexPassages, growth);
  };
  while (await due()) await setTimeout(1_000);
  await connection.close();
}
