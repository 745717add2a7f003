import { expect } from 'chai';
import { createVocabulary, type IndexedTenant } from '#src/search/candidates/site-vocabulary.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

describe('the vocabulary', () => {
  let project: TestProject;
  const space = (indexVersion: number): IndexedTenant => ({
    ...sharedService().service.deps.tenants.of(project.row.project_id),
    indexVersion,
  });

  before(async () => {
    project = await sharedService().newProject();
    await project.upsert({ url: 'https://words.example/returns', content: 'How to return a grinder.' });
    await project.upsert({ url: 'https://words.example/grinders', content: 'Every grinder we sell.' });
    await project.indexed();
  });

  it('counts pages by word, and none for a word that no page has', async () => {
    const vocabulary = createVocabulary();
    const { pages, counts } = await vocabulary.counts(space(1), ['grinder', 'return', 'teapot']);
    expect([counts.get('grinder'), counts.get('return'), counts.get('teapot')]).to.deep.equal([2, 1, 0]);
    expect(pages).to.equal(2);
    expect([...counts.keys()]).to.deep.equal(['grinder', 'return', 'teapot']);
    expect(await vocabulary.counts(space(1), [])).to.deep.equal({ pages: 2, counts: new Map() });
  });

  it('remembers within a version of the index, and asks again in the next', async () => {
    const vocabulary = createVocabulary();
    const grinders = async (version: number): Promise<number | undefined> =>
      (await vocabulary.counts(space(version), ['grinder'])).counts.get('grinder');
    expect(await grinders(1)).to.equal(2);
    await project.query("update pathmend.vocabulary set pages = 7 where project_id = $1 and word = 'grinder'");
    expect(await grinders(1)).to.equal(2);
    expect(await grinders(2)).to.equal(7);
    await project.query("update pathmend.vocabulary set pages = 2 where project_id = $1 and word = 'grinder'");
  });

  it('finds words near a misspelt one, and asks for none where the site spells so', async () => {
    const vocabulary = createVocabulary();
    const { near } = await vocabulary.spelling(space(1), ['grindr', 'grinder']);
    expect([...near.keys()]).to.deep.equal(['grindr']);
    expect(near.get('grindr')?.map(({ word }) => word)).to.include('grinder');
    expect((await vocabulary.spelling(space(1), ['grinder'])).near.size).to.equal(0);
  });
});
