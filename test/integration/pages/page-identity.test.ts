import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const content = 'Pens and ink.';

/** Each list spells one page. */
const SAME = [
  [
    'https://shop.example/pens',
    'HTTPS://SHOP.EXAMPLE/pens',
    'https://shop.example:443/pens',
    'https://shop.example/pens#blue',
    ' https://shop.example/pens\n',
    'https://shop.example/ink/../pens',
    'https://shop.example/./pens',
    'https://shop.example/pens#',
  ],
  ['http://shop.example/', 'http://shop.example', 'http://shop.example:80', 'http://SHOP.example/#top'],
  ['https://shop.example/café?q=é', 'https://shop.example/caf%C3%A9?q=%C3%A9'],
  ['https://xn--bcher-kva.example/', 'https://bücher.example', 'https://BÜCHER.example/#x'],
];

/** Each pair spells two. */
const DIFFERENT = [
  ['https://shop.example/pens', 'https://shop.example/pens/'],
  ['https://shop.example/pens', 'https://shop.example/Pens'],
  ['https://shop.example/pens', 'http://shop.example/pens'],
  ['https://shop.example/pens', 'https://www.shop.example/pens'],
  ['https://shop.example/pens', 'https://shop.example:8443/pens'],
  ['https://shop.example/pens', 'https://shop.example/pens?'],
  ['https://shop.example/pens', 'https://shop.example/pens?a=1'],
  ['https://shop.example/pens?a=1&b=2', 'https://shop.example/pens?b=2&a=1'],
  ['https://shop.example/pens?a=1', 'https://shop.example/pens?a=2'],
  ['https://shop.example/pens', 'https://shop.example//pens'],
] as const;

describe('what makes two urls one page', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const idOf = async (url: string): Promise<string> => (await project.upsert({ url, content })).body.page_id as string;

  for (const [first = '', ...spellings] of SAME) {
    it(`${first} is found again under ${spellings.length} other spellings`, async () => {
      const id = await idOf(first);
      for (const other of spellings) {
        const { body } = await project.upsert({ url: other, content });
        expect([body.page_id, body.action], other).to.deep.equal([id, 'updated_metadata']);
      }
      await project.indexed();
      const { body } = await project.post('/v1/retrieve', { query: 'pens', top_k: 100 });
      expect((body.documents as { url: string }[]).map(({ url }) => url)).to.deep.equal([new URL(first).href]);
      const deleted = await project.call('DELETE', '/v1/pages/delete', { url: spellings.at(-1) });
      expect([deleted.status, deleted.body.pageId]).to.deep.equal([200, id]);
    });
  }

  for (const [url, other] of DIFFERENT) {
    it(`${url} and ${other} are two pages`, async () => {
      expect(await idOf(url)).not.to.equal(await idOf(other));
    });
  }

  it('a url that is only long differs to its last character', async () => {
    const long = 'https://shop.example/'.padEnd(2047, 'x');
    expect(await idOf(`${long}a`)).not.to.equal(await idOf(`${long}b`));
    expect(await idOf(`${long}a`)).to.equal(await idOf(`${long}a`));
  });
});
