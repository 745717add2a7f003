import { setTimeout } from 'node:timers/promises';
import { connect } from '#src/database/connect.js';
import { growthOf, largeProjects } from '#src/database/queries/own-indexes.js';

/** The setting's default, OWN_INDEX_PASSAGES. */
const FROM_PASSAGES = 20_000;

/** A large project is scanned until its own indexes are there: resolves when they are, of the only project of a database. */
export async function ownIndexesBuilt(databaseUrl: string): Promise<void> {
  const connection = connect({ url: databaseUrl, max: 1, applicationName: 'bench', onIdleError: () => undefined });
  const [project] = await largeProjects(connection.db, 1);
  const due = async (): Promise<boolean> => {
    const growth = project === undefined ? undefined : await growthOf(connection.db, project, 10_000_000);
    return growth !== undefined && growth.uncovered >= Math.max(FROM_PASSAGES / 2, growth.passages / 10) && growth.uncovered + growth.passages >= FROM_PASSAGES;
  };
  while (await due()) await setTimeout(1_000);
  await connection.close();
}
