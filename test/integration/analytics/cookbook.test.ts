import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { jsonInProcess } from '../../support/commands.js';
import { recordCookbookMonth } from '../../support/cookbook-month.js';
import { afterMarch } from '../../support/demo-month.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import { startTestService, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';

const read = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8');

/** The statement below each question of the document. */
const QUESTIONS = [
  ...read('docs', 'reference', 'analytics.md').matchAll(/^### (\d+\. .*)\n\n```sql\n([^`]+)```\n\n\S/gm),
].map(([, title = '', statement = '']) => ({ title, statement }));

/** The table below each question of the answers that were counted by hand. */
const ANSWERS = new Map(
  [...read('test', 'fixtures', 'cookbook', 'answers.md').matchAll(/^### (.*)\n\n((?:\|.*\n)+)/gm)].map(
    ([, title = '', table = '']) => [title, table] as const,
  ),
);

describe('the forty questions of docs/reference/analytics.md', function () {
  this.timeout(120_000);
  let test: TestService;
  let client: pg.ClientBase;
  let leave: () => Promise<void> | void;
  const login = `ann_${randomUUID().slice(0, 8)}`;

  before(async () => {
    test = await startTestService({}, { clock: afterMarch() });
    const projectId = await recordCookbookMonth(test);
    if (test.database.kind === 'server') {
      const create = ['analyst', 'create', login, '--project', 'demo'];
      const { url } = (await jsonInProcess(create, test.database.environment)) as { url: string };
      mustStaySecret(new URL(url).password);
      const connected = new pg.Client({ connectionString: url });
      await connected.connect();
      client = connected;
      leave = () => connected.end();
    } else {
      // It has no logins, so its only session becomes the role for each question.
      await query(test.service, 'select pathmend.make_analyst($1, $2)', [login, projectId]);
      const pooled = await test.service.database.connection.pool.connect();
      client = pooled;
      leave = () => {
        pooled.release();
      };
    }
  });

  after(async () => {
    await leave();
    for (const statement of [`drop owned by ${login} cascade`, `drop role ${login}`])
      await query(test.service, statement);
    await test.stop();
  });

  /** The rows of a statement as the Markdown table that a person would write. */
  async function ask(statement: string): Promise<string> {
    await client.query(`begin; set local role ${login}`);
    try {
      const { fields, rows } = await client.query<(string | null)[]>({
        text: statement,
        rowMode: 'array',
        types: { getTypeParser: () => (text: string) => text },
      });
      const [head = '', ...lines] = [fields.map(({ name }) => name), ...rows].map(
        (cells) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |\n`,
      );
      return [head, `|${'---|'.repeat(fields.length)}\n`, ...lines].join('');
    } finally {
      await client.query('rollback');
    }
  }

  it('are forty, each with an answer that has a row and names something, and no answer has lost its question', () => {
    expect(QUESTIONS.map(({ title }) => Number.parseInt(title))).to.deep.equal(
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    expect([...ANSWERS.keys()]).to.deep.equal(QUESTIONS.map(({ title }) => title));
    for (const [title, table] of ANSWERS) expect(table.split('\n').slice(2).join(''), title).to.match(/[1-9a-z]/);
  });

  for (const { title, statement } of QUESTIONS)
    it(title, async () => {
      expect(await ask(statement)).to.equal(ANSWERS.get(title));
    });
});
