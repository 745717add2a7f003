import pg from 'pg';
import { startEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { createTestDatabase } from './database.js';

/** A database without any schema, and connections to it past the program's own pool. */
export interface EmptyDatabase {
  url: string;
  connect(): Promise<pg.Client>;
  /** Ends all connections and removes the database. */
  drop(): Promise<void>;
}

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const database = await createTestDatabase();
  const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL, DATA_DIR } = database.environment;
  const embedded = DATABASE_URL === undefined ? await startEmbedded(DATA_DIR ?? '') : undefined;
  const url = DATABASE_DIRECT_URL ?? embedded?.url ?? '';
  const clients: pg.Client[] = [];
  return {
    url,
    connect: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      clients.push(client);
      return client;
    },
    drop: async () => {
      for (const client of clients) await client.end();
      await embedded?.stop();
      await database.drop();
    },
  };
}
