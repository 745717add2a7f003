import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';

const BODY = '<section class="wrapperzone"><h2>Punctures</h2><p>Mend the inner tube with a patch.</p></section>';

describe('a page that is pushed as HTML', () => {
  for (const title of ['Punctures of a tyre', null])
    it(`is found by its text, and no word of its tags is known, ${title === null ? 'without' : 'with'} a title`, async () => {
      const project = await sharedService().newProject();
      const content = `<!doctype html><html><head><style>.wrapperzone{}</style></head><body>${BODY}</body></html>`;
      await project.upsert({ url: 'https://shop.example/document', content, title });
      await project.post('/v1/pages/batch', {
        pages: [{ url: 'https://shop.example/fragment', content: BODY, title }],
      });
      await project.upsert({
        url: 'https://shop.example/code',
        content: 'Write `<section class="codezone">` around it.',
      });
      await project.indexed();
      const words = (
        await project.query<{ word: string }>('select word from pathmend.vocabulary where project_id = $1')
      ).map(({ word }) => word);
      expect(words.some((word) => word.startsWith('punctur'))).to.equal(true);
      expect(words.filter((word) => /wrapperzone|style|html/.test(word))).to.deep.equal([]);
      // Markdown that has tags is indexed as it is.
      expect(words.some((word) => word.includes('codezone'))).to.equal(true);
      const { body } = await project.post('/v1/retrieve', {
        query: 'mend an inner tube',
        options: { searchThreshold: 0 },
      });
      const documents = body.documents as { content: string }[];
      expect(documents.map(({ content: text }) => text)).to.include.members([content, BODY]);
    });
});
