import { expect } from 'chai';
import { HARD_CONTENTS } from '../support/hard-contents.js';
import type { TestProject } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

const ALL_DONE_WITHIN_MS = 540_000;

describe('content that is hard to read', function () {
  this.timeout(600_000);
  let project: TestProject;
  const names = Object.keys(HARD_CONTENTS);

  const find = (path: string, body: unknown) => project.post(path, body);

  // Pages of up to a megabyte, with neighbours between them.
  before(async () => {
    project = await sharedService().newProject();
    for (const [at, content] of Object.values(HARD_CONTENTS).entries()) {
      await project.upsert({ url: `https://hard.example/hard/${at}`, content });
      await project.upsert({
        url: `https://hard.example/easy/lantern-${at}`,
        content: `Lantern number ${at} hangs beside the harbour.`,
      });
    }
    await until(
      'every page is done with',
      async () => {
        const [row] = await project.query<{ n: number }>(
          `select count(*)::int as n from pathmend.pages where project_id = $1 and status not in ('INDEXED', 'ERROR')`,
        );
        return row?.n === 0;
      },
      ALL_DONE_WITHIN_MS,
    );
  });

  async function page(path: string): Promise<{ status: string; error: string | null } | undefined> {
    const rows = await project.query<{ status: string; error: string | null }>(
      'select status, error from pathmend.pages where project_id = $1 and url = $2',
      `https://hard.example${path}`,
    );
    return rows[0];
  }

  for (const [at, name] of names.entries()) {
    it(`ends in ERROR with a reason or INDEXED, its neighbour is INDEXED, and it can be searched for: ${name}`, async () => {
      const hard = await page(`/hard/${at}`);
      if (hard?.status === 'ERROR') expect(hard.error).to.match(/\w/);
      else expect(hard).to.deep.equal({ status: 'INDEXED', error: null });
      expect(await page(`/easy/lantern-${at}`)).to.deep.equal({ status: 'INDEXED', error: null });

      // Never through a surrogate pair: such a text is refused, rightly.
      const cut = (length: number): string =>
        (HARD_CONTENTS[name] ?? '').slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
      const text = cut(1_900);
      for (const answer of [
        await find('/v1/semantic-search', { query: text }),
        await find('/v1/retrieve', { query: text }),
        await find('/v1/suggest', { path: `/${text}` }),
        await find('/v1/suggest', { path: `/${encodeURIComponent(cut(150))}` }),
      ]) {
        expect(answer.status, answer.text.slice(0, 300)).to.be.oneOf([200, 400]);
      }
    });
  }

  it('leaves no job behind', async () => {
    const left =
      await project.query(`select state::text, retry_count from pgboss.job where name = 'vectorize-page' and state::text in ('created', 'retry', 'active')
        and data->>'projectId' = $1`);
    expect(left).to.deep.equal([]);
  });
});
