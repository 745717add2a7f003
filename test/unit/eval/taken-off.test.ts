import { expect } from 'chai';
import { measureMixture } from '../../../scripts/eval/mixture.js';
import type { SitePage } from '../../../scripts/eval/site-data.js';
import { chooseTakenOff } from '../../../scripts/eval/taken-off.js';

const page = (path: string, content: string): SitePage => ({
  url: `https://s.example${path}`,
  path,
  title: '',
  content,
});
const ONCE = 'only this page says how the harbour ferry is moored when the wind turns at night';
const TWICE = 'the same words about tyres, brakes and lamps stand on more than one page of this site';
const site = [
  ...Array.from({ length: 16 }, (_, i) => page(`/page-${i}/`, `${ONCE} ${i} and then number ${i} goes on with ${i}`)),
  page('/copy/', TWICE),
  page('/other/copy/', `Here ${TWICE}`),
  page('/about/', 'About the site and whoever keeps it'),
  page('/about', 'Another text at nearly the same path, about nothing much'),
  page('/', 'The home page has no word in its path'),
];

describe('eval: pages that were taken off', () => {
  it('takes at most a quarter of a site, the same pages on every run', () => {
    const chosen = chooseTakenOff(site, 100).map(({ path }) => path);
    expect(chosen).to.have.length(5);
    expect(chooseTakenOff(site, 100).map(({ path }) => path)).to.deep.equal(chosen);
    expect(chooseTakenOff(site, 2)).to.have.length(2);
  });

  it('leaves out pages whose text or path stands elsewhere, and paths without a word', () => {
    const paths = chooseTakenOff(
      [...site, ...site.slice(16).map((copied) => ({ ...copied, path: `/x${copied.path}` }))],
      100,
    );
    const alone = chooseTakenOff(site.slice(16), 100);
    for (const { path } of [...paths, ...alone]) expect(path).not.to.match(/copy|about|^\/$/);
  });

  it('mixes moved, mistyped and taken-off paths with equal weight', () => {
    const section = (answered: number, precision1: number) => ({
      ...{ n: 10, recall1: 0, recall3: 0, mrr: 0, answered, precision1 },
      at_redirect: { answered: answered / 2, precision1 },
    });
    const mixture = measureMixture([section(0.8, 0.9), section(1, 1), section(0.2, 0)]);
    expect(mixture?.at_default.answered).to.be.closeTo(2 / 3, 1e-9);
    expect(mixture?.at_default.precision1).to.be.closeTo(1.72 / 2, 1e-9);
    expect(mixture?.at_redirect.answered).to.be.closeTo(1 / 3, 1e-9);
    expect(measureMixture([section(1, 1), { ...section(1, 1), n: 0 }])).to.equal(undefined);
  });
});
