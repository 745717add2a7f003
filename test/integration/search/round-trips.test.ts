import { expect } from 'chai';
import { Kysely } from 'kysely';
import { sessionDialect } from '#src/platform/database/session/driver.js';
import type { Database } from '#src/platform/database/db.js';
import type { SearchKind } from '#src/base/glossary.js';
import { search } from '#src/search/search.js';
import { sharedService } from '../../support/shared-service.js';

describe('an uncached search', () => {
  const searches: [SearchKind, string][] = [
    ['semantic-search', 'A blue fountain pen with a steel nib'],
    ['suggest', '/pens/blue-fountain-pen'],
  ];
  for (const [kind, input] of searches) {
    for (const threshold of [0, 1]) {
      it(`asks the database once by ${kind}, its words being known, ${threshold === 0 ? 'and finds a page' : 'also where no page is good enough'}`, async () => {
        const { service } = sharedService();
        const project = await sharedService().newProject();
        await project.upsert({
          url: 'https://shop.example/pens/blue',
          content: 'A blue fountain pen with a steel nib.',
        });
        await project.indexed();
        let statements: string[] = [];
        const db = new Kysely<Database>({
          dialect: sessionDialect(service.database.connection.pool, {}),
          log: ({ query }) => {
            statements.push(query.sql);
          },
        });
        const caller = {
          projectId: project.row.project_id,
          db,
          keyId: '',
          isTest: false,
          modelId: (await service.models.named('static')).modelId,
          indexVersion: 1,
        };
        const tenants = { ...service.deps.tenants, of: (projectId: string) => ({ projectId, db }) };
        const deps = { ...service.deps, tenants };
        // Another limit, and the cache knows nothing of it.
        const ask = (limit: number) =>
          search(deps, caller, { kind, input, limit, threshold, filters: {}, excludeUrls: [], explain: false }, null);
        await ask(3);
        statements = [];
        const { answer } = await ask(4);
        expect(answer.suggestions).to.have.lengthOf(threshold === 0 ? 1 : 0);
        expect(statements).to.have.lengthOf(1);
      });
    }
  }
});
