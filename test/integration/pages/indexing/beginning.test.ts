import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { cutBeginning } from '#src/pages/indexing/embed-page.js';
import { sharedService } from '../../../support/shared-service.js';

describe("a page's beginning", () => {
  it('is its first 30 words, and no more than 240 characters', () => {
    const words = Array.from({ length: 50 }, (_, i) => `w${i}`);
    expect(cutBeginning(`  ${words.join(' ')}`)).to.equal(words.slice(0, 30).join(' '));
    expect(cutBeginning('short page')).to.equal('short page');
    expect(cutBeginning('字'.repeat(1000))).to.have.length(240);
    expect(cutBeginning('a'.repeat(239) + '\u{1f984}'.repeat(10))).to.have.length(239);
    expect(cutBeginning(' \n ')).to.equal('');
  });

  it('stands among the vectors once more, by itself, and goes when the content does', async () => {
    const project = await sharedService().newProject();
    const { db } = sharedService().service;
    const ordinals = async (): Promise<number[]> => {
      const { rows } = await sql<{ ordinal: number }>`
        select ordinal from pathmend.chunks
         where project_id = ${project.row.project_id} and ordinal >= -1 order by ordinal`.execute(db);
      return rows.map((row) => row.ordinal);
    };
    const url = 'https://shop.example/a';
    await project.upsert({ url, content: 'The quick brown fox jumps over the lazy dog in the garden. '.repeat(40) });
    await project.indexed();
    const before = await ordinals();
    expect(before[0]).to.equal(-1);
    expect(before.length).to.be.at.least(3);
    await project.upsert({ url, content: 'Short.' });
    await project.indexed();
    expect(await ordinals()).to.deep.equal([-1, 0]);
    await project.call('DELETE', '/v1/pages/delete', { url });
    expect(await ordinals()).to.deep.equal([]);
  });

  it('decides between two pages that say the same, one of them first', async () => {
    const project = await sharedService().newProject();
    const filler =
      'Our opening hours, our team, our history and the way to our shop by bus and train are told elsewhere. '.repeat(
        8,
      );
    await project.upsert({ url: 'https://shop.example/late', content: `${filler} Descaling the espresso boiler.` });
    await project.upsert({ url: 'https://shop.example/early', content: `Descaling the espresso boiler. ${filler}` });
    await project.indexed();
    const { body } = await project.post('/v1/semantic-search', {
      query: 'descaling a boiler',
      options: { searchThreshold: 0 },
    });
    expect((body.suggestions as { url: string }[]).map(({ url }) => url)).to.deep.equal(['/early', '/late']);
  });
});
