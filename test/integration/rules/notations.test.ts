import { expect } from 'chai';
import { GUIDES, GuidesSite } from '../../support/guides.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('one address in several notations', () => {
  const folder = temporaryFolder();

  it('a letter is one letter, however its accent is written: in old paths, wildcards and targets', async () => {
    const site = await GuidesSite.open(folder, { '/g\u00e4rten': ['G\u00e4rten', 'G\u00e4rten im Mai, mit Rosen.'] });
    const { code, stderr } = await site.import(
      '/fahrra\u0308der/zoe\u0308 /guides/brakes',
      '/tschu\u0308ss 410',
      '/u\u0308ber/* /guides/chain',
      '/alt-1 /ga\u0308rten',
    );
    expect(code, stderr).to.equal(0);
    expect(stderr).to.not.include('has no page');
    expect(await site.proxy('/fahrr%C3%A4der/zo%C3%AB')).to.equal(`301 ${GUIDES}/guides/brakes`);
    expect(await site.proxy('/fahrra%CC%88der/zoe%CC%88')).to.equal(`301 ${GUIDES}/guides/brakes`);
    expect(await site.notFound('/tsch%C3%BCss')).to.equal('410');
    expect(await site.proxy('/%C3%BCber/x')).to.equal(`301 ${GUIDES}/guides/chain`);
    expect(await site.proxy('/alt-1')).to.equal(`301 ${GUIDES}/g%C3%A4rten`);
  });

  it('doubled slashes and encoded ones find the page, and never the url that was asked', async () => {
    const site = await GuidesSite.open(folder);
    for (const url of [
      '/guides//flat-tyre',
      '//guides/flat-tyre',
      '/guides/flat-tyre//',
      '/guides%2Fflat-tyre',
      '/guides%2fflat-tyre',
      '///guides///flat-tyre///',
      `${GUIDES}//guides/flat-tyre`,
    ])
      for (const answer of [await site.proxy(url), await site.notFound(url)])
        expect(answer, url).to.equal(`302 ${GUIDES}/guides/flat-tyre`);
    for (const url of ['/guides/flat-tyre', '/guides/flat-tyre/']) expect(await site.proxy(url), url).to.equal('404');
  });
});
