import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { ruleOf } from '#src/rules/rule-keys.js';
import { readRules } from '#src/rules/store/rules.js';
import { writeRules } from '#src/rules/store/store-rules.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { startTestService, type TestService } from '../../support/service.js';

const HOSTS = 5_000;
const MAX_LOOKED_AT = 1_000;

describe('a redirect to a path that is on very many hosts', () => {
  let test: TestService;
  let projectId: string;

  before(async () => {
    test = await startTestService();
    projectId = (await test.newProject()).row.project_id;
    await test.service.database.connection.pool.query(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
       select $1, lpad(to_hex(i), 24, '0'), u, sha256(u::bytea), $3, 'text', sha256('text'), 'INDEXED'
         from generate_series(1, $2::int) as i, concat('https://h', i, '.example/help') as u`,
      [projectId, HOSTS, pathKey('/help')],
    );
  });

  after(() => test.stop());

  it('reads a thousand of its pages, and finds the one whose url was given', async () => {
    const url = `https://h${HOSTS}.example/help`;
    const rules = [
      ['/any', '/help'],
      ['/one', url],
    ].map(([path = '', target = '']) => ruleOf({ path, kind: 'exact', action: 'redirect', target }));
    const made = { origin: 'import' as const, by: null, at: new Date() };
    await inTransaction(test.service.db, async (trx) => {
      await writeRules(
        trx,
        projectId,
        rules.map((rule) => ({ ...rule, made })),
      );
      const read = async (): Promise<number> => {
        const { rows } = await sql<{ read: number }>`
          select (idx_tup_fetch + seq_tup_read)::float8 as read
            from pg_stat_xact_user_tables where relid = 'pathmend.pages'::regclass`.execute(trx);
        return rows[0]?.read ?? Infinity;
      };
      const before = await read();
      const [any, exact] = await readRules(
        trx,
        projectId,
        rules.map(({ key }) => key),
        new Set(),
      );
      expect(any?.target).to.match(/^https:\/\/h\d+\.example\/help$/);
      expect(exact?.target).to.equal(url);
      expect((await read()) - before).to.be.below(2 * MAX_LOOKED_AT + 10);
    });
  });
});
