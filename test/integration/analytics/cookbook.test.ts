import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { createAnalystLogin, type AnalystLogin } from '../../support/analyst-login.js';
import { recordCookbookMonth } from '../../support/cookbook-month.js';
import { afterMarch } from '../../support/demo-month.js';
import { startTestService, type TestService } from '../../support/service.js';

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
  let analyst: AnalystLogin;

  before(async () => {
    test = await startTestService({}, { clock: afterMarch() });
    analyst = await createAnalystLogin(test, await recordCookbookMonth(test));
  });

  after(async () => {
    await analyst.leave();
    await test.stop();
  });

  /** The rows of a statement as the Markdown table that a person would write. */
  async function ask(statement: string): Promise<string> {
    const types = { getTypeParser: () => (text: string) => text };
    const { fields, rows } = await analyst.ask((client) =>
      client.query<(string | null)[]>({ text: statement, rowMode: 'array', types }),
    );
    const [head = '', ...lines] = [fields.map(({ name }) => name), ...rows].map(
      (cells) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |\n`,
    );
    return [head, `|${'---|'.repeat(fields.length)}\n`, ...lines].join('');
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
