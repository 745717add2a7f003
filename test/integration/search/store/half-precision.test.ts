import { expect } from 'chai';
import { Kysely, type PostgresAdapter } from 'kysely';
import { isEmbedded, SessionAdapter, sessionDialect } from '#src/platform/database/session/driver.js';
import type { Database } from '#src/platform/database/db.js';
import { rankForQuery } from '#src/search/candidates/rank-for-query.js';
import { wholeProject } from '../../../../scripts/whole-project.js';
import { onServer } from '../../../support/database.js';
import { sharedService } from '../../../support/shared-service.js';

describe('cosines of half precision', () => {
  it('are the same where each number is converted first, as on the embedded database', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/pens/blue', content: 'A blue fountain pen with a steel nib.' });
    await project.upsert({ url: 'https://shop.example/ink/black', content: 'Black ink in a glass bottle.' });
    await project.indexed();
    const ask = async (adapter: PostgresAdapter): Promise<{ ranking: unknown; converts: boolean }> => {
      let converts = false;
      const db = new Kysely<Database>({
        dialect: { ...sessionDialect(service.database.connection.pool, {}), createAdapter: () => adapter },
        log: ({ query }) => {
          converts ||= query.sql.includes('embedding::vector');
        },
      });
      const configured = await service.models.named('static');
      const space = wholeProject({ projectId: project.row.project_id, db }, configured.modelId);
      const { query } = await service.deps.calibrationOf(configured.modelId);
      const { ranked } = await rankForQuery(service.deps, query, space, 'ink for a fountain pen', 3);
      return { ranking: ranked.map(({ pageId, score }) => [pageId, score.toFixed(6)]), converts };
    };
    const converted = await ask(new SessionAdapter(true));
    const server = await ask(new SessionAdapter(false));
    expect([converted.converts, server.converts]).to.deep.equal([true, false]);
    expect(converted.ranking).to.have.lengthOf(2);
    expect(converted.ranking).to.deep.equal(server.ranking);
    expect(isEmbedded(service.database.connection.db)).to.equal(!onServer());
  });
});
