import { expect } from 'chai';
import { GUIDES, GuidesSite } from '../../support/guides.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const RULES: [from: string, target: string, location: string][] = [
  ['/promo', '/guides/brakes?src=promo', '/guides/brakes?src=promo'],
  ['/utm', '/guides/chain?utm_source=flyer&utm_medium=print', '/guides/chain?utm_source=flyer&utm_medium=print'],
  ['/home', '/?src=home', '/?src=home'],
  ['/things', '/search?type=colors&term=1999#top', '/search?type=colors&term=1999#top'],
  ['/full', `${GUIDES}/guides/flat-tyre?ref=1`, '/guides/flat-tyre?ref=1'],
  ['/frag', '/guides/flat-tyre#tools', '/guides/flat-tyre#tools'],
  ['/other-order', '/item?x=1&id=5', '/item?x=1&id=5'],
  ['/own', '/item?id=5', '/item?id=5'],
  ['/more', '/item?id=5&x=1&utm_id=7', '/item?id=5&x=1&utm_id=7'],
  ['/unknown-item', '/item?id=6', '/item?id=6'],
  ['/spelled', '/Guides/Brakes.html?SRC=Promo', '/guides/brakes?SRC=Promo'],
  ['/over', '/promo', '/guides/brakes?src=promo'],
];
const BELOW: [asked: string, from: string, target: string, location: string][] = [
  ['/one/x', '/one/*', '/guides/chain?src=old', '/guides/chain?src=old'],
  ['/find/brakes', '/find/*', '/search?url=:splat', '/search?url=brakes'],
  ['/b/chain', '/b/*', '/guides/:splat?x=1', '/guides/chain?x=1'],
  ['/p-7.html', '/p-:id.html', '/search?id=:id&utm_source=p', '/search?id=7&utm_source=p'],
];

describe('a target is what the owner wrote', () => {
  const folder = temporaryFolder();
  let site: GuidesSite;

  beforeEach(async () => {
    site = await GuidesSite.open(folder, {
      '/': ['Home', 'The home page of the bicycle shop.'],
      '/search': ['Search', 'Search all of our guides for bicycles by words.'],
      '/item': ['Items', 'A list of all spare parts that we sell.'],
      '/item?id=5': ['A bell', 'A loud bell of brass for any handlebar.'],
    });
  });

  async function expectAnswers(): Promise<void> {
    for (const [path, location] of [
      ...RULES.map(([from, , to]) => [from, to] as const),
      ...BELOW.map(([from, , , to]) => [from, to] as const),
    ])
      expect(await site.proxy(path), path).to.equal(`301 ${GUIDES}${location}`);
  }

  it('its page is found with its query string or without, and the Location has all of it', async () => {
    const lines = [...RULES.map(([from, to]) => `${from} ${to}`), ...BELOW.map(([, from, to]) => `${from} ${to}`)];
    const { code, stdout, stderr } = await site.import(...lines);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include(' 1 wait for their page');
    expect(stderr).to.match(/^line 12: the project has no page \/promo/m);
    await expectAnswers();
    expect(await site.notFound('/things')).to.equal(`301 ${GUIDES}/search?type=colors&term=1999#top`);
    const { headers, body } = await site.project.call('POST', '/v1/suggest', { path: '/things' });
    expect(headers.get('x-pathmend-location')).to.equal('/search?type=colors&term=1999#top');
    expect(body.suggestions).to.have.nested.property('[0].url', '/search?type=colors&term=1999#top');
    const tried = await site.run('try', '--json', '--from', '/new-promo', '--to', '/guides/brakes?src=x');
    expect(tried.stdout).to.include('"problems":[]');
    // Exports say the same; importing them changes nothing.
    for (const [, from] of BELOW) await site.run('remove', '--from', from);
    for (const format of ['nginx', 'json', 'csv']) {
      const exported = await site.run('export', '--format', format);
      expect(exported.code, exported.stderr).to.equal(0);
      expect(exported.stderr, format).to.not.include('dead target');
      for (const [from, , location] of RULES.filter(([path]) => path !== '/over' || /nginx/.test(format)))
        expect(exported.stdout.replaceAll('\\', ''), `${format} ${from}`).to.include(location);
      if (format === 'json' || format === 'csv') {
        const again = await site.importText(exported.stdout, format);
        expect(again.stdout, again.stderr).to.include('0 redirects stored, 0 updated');
      }
    }
    expect(await site.proxy('/promo')).to.equal(`301 ${GUIDES}/guides/brakes?src=promo`);
  });

  it('another query string of one page is another target', async () => {
    await site.import('/a /guides/brakes', '/b /guides/brakes?src=b');
    await site.import('/a /guides/brakes?utm_source=a', '/b /guides/brakes?src=c');
    expect(await site.proxy('/a')).to.equal(`301 ${GUIDES}/guides/brakes?utm_source=a`);
    expect(await site.proxy('/b')).to.equal(`301 ${GUIDES}/guides/brakes?src=c`);
  });

  it('a redirect with a query string waits for its page, and goes on once it is there', async () => {
    await site.import('/soon /guides/soon?src=x', '/soon/* /guides/soon?src=y');
    expect(await site.proxy('/soon')).to.equal('404');
    await site.project.upsert({ url: `${GUIDES}/guides/soon`, title: 'Soon', content: 'A guide that was to come.' });
    await site.project.indexed();
    expect(await site.proxy('/soon')).to.equal(`301 ${GUIDES}/guides/soon?src=x`);
    expect(await site.proxy('/soon/z')).to.equal(`301 ${GUIDES}/guides/soon?src=y`);
  });

  it('a rule of a page to itself with a query string goes round in no circle', async () => {
    await site.import('/guides/brakes /guides/brakes?src=self');
    expect(await site.proxy('/guides/brakes?src=self')).to.equal('404');
  });

  it('is added by command and API as it is imported', async () => {
    for (const [from, target, location] of RULES.slice(0, 6)) {
      const added = await site.run('add', '--from', from, '--to', target, '--json');
      expect(JSON.parse(added.stdout), from).to.deep.include({ changed: 1, problems: [] });
      expect(await site.proxy(from), from).to.equal(`301 ${GUIDES}${location}`);
    }
  });

  it('no guess stands in for a wildcard or pattern whose target is no page', async () => {
    await site.import(
      '/foo/* /nonexist?url=:splat',
      '/old2/* /nonexist/:splat',
      '/one/* /nonexist',
      '/to-:name /nonexist/:name',
      '/shop/brakes /nonexist/brakes',
      '/to-old /old2/brakes',
      '/:number/old2/* /nonexist/:splat',
      '/7/* /guides/:splat',
    );
    for (const path of ['/foo/brakes', '/old2/brakes', '/one/brakes', '/to-brakes', '/shop/brakes', '/to-old']) {
      expect(await site.proxy(path), path).to.equal('404');
      expect(await site.notFound(path), path).to.equal('404');
      const { body } = await site.project.call('POST', '/v1/suggest', { path, options: { searchThreshold: 0 } });
      for (const { score } of body.suggestions as { score: number }[]) expect(score, path).to.be.below(0.7);
    }
    // One that ends nowhere leaves the answer to the next rule of the path.
    expect(await site.proxy('/7/chain')).to.equal(`301 ${GUIDES}/guides/chain`);
    await site.project.upsert({ url: `${GUIDES}/nonexist/brakes`, title: 'Brakes', content: 'Now it is there.' });
    await site.project.indexed();
    expect(await site.proxy('/old2/brakes')).to.equal(`301 ${GUIDES}/nonexist/brakes`);
  });
});
