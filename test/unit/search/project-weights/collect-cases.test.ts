import { expect } from 'chai';
import { groupRedirects, junkPaths, mistype } from '#src/search/project-weights/collect-cases.js';

describe('paths that are made up to check weights', () => {
  it('mistype changes letters of the last segment, and nothing else', () => {
    for (const path of ['/guides/repair/flat-tyre', '/a/Brakes.html', '/help/returns/', '/ヘルプ/返品方法']) {
      const made = mistype(path) ?? '';
      expect(made).not.to.equal(path);
      const folder = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
      expect(made.startsWith(folder)).to.equal(true);
      expect(Math.abs(made.length - path.length)).to.be.at.most(1);
      expect(mistype(path)).to.equal(made);
    }
  });

  it('mistype leaves out what is too short, and paths with a query', () => {
    for (const path of ['/', '/ab', '/2019/04', '/x/aaaa', '/search?page=pumps', ''])
      expect(mistype(path), path).to.equal(undefined);
  });

  it('junk is of letters, and every path is another', () => {
    const paths = junkPaths(20);
    expect(new Set(paths).size).to.equal(20);
    for (const path of paths) expect(path).to.match(/^(\/[a-z]{5,9}){1,2}$/);
  });

  it('redirects to one page are one group, and so are old paths that differ in numbers or endings', () => {
    const groups = groupRedirects([
      { old_path: '/a', page_id: '1' },
      { old_path: '/b', page_id: '1' },
      { old_path: '/news/2019/x.html', page_id: '2' },
      { old_path: '/News/2020/x', page_id: '3' },
      { old_path: '/c', page_id: '3' },
      { old_path: '/d', page_id: '4' },
    ]);
    expect(groups[0]).to.equal(groups[1]);
    expect(new Set(groups.slice(2, 5)).size).to.equal(1);
    expect(new Set(groups).size).to.equal(3);
  });
});
