import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { whyNotPrune } from '#src/sync/prune-pages.js';
import { SeenUrls } from '#src/sync/seen-urls.js';

const hashOf = (n: number): Buffer => createHash('sha256').update(`https://a.example/${n}`).digest();

describe('the urls that a source has named', () => {
  it('are known again among many, each once', () => {
    const seen = new SeenUrls();
    const count = 100_000;
    for (let n = 0; n < count; n++) expect(seen.add(hashOf(n))).to.equal(true);
    for (let n = 0; n < count; n += 997) expect(seen.add(hashOf(n))).to.equal(false);
    for (let n = 0; n < count; n += 991) expect(seen.has(hashOf(n))).to.equal(true);
    for (let n = count; n < count + 10_000; n++) expect(seen.has(hashOf(n))).to.equal(false);
    expect(seen.size).to.equal(count);
  });

  it('may have a hash of zeros', () => {
    const seen = new SeenUrls();
    expect(seen.has(Buffer.alloc(32))).to.equal(false);
    expect(seen.add(Buffer.alloc(32))).to.equal(true);
    expect(seen.has(Buffer.alloc(32))).to.equal(true);
  });
});

describe('pages that are gone', () => {
  const pruning = { gone: 20, held: 0, stored: 100, named: 80, unread: 0 };

  it('are deleted up to a fifth of the project, and beyond that by force', () => {
    expect(whyNotPrune(pruning, false)).to.equal(undefined);
    expect(whyNotPrune({ ...pruning, gone: 21 }, false)).to.include("21 of the project's 100 pages");
    expect(whyNotPrune({ ...pruning, gone: 21 }, true)).to.equal(undefined);
    expect(whyNotPrune({ ...pruning, held: 2 }, false)).to.include('held back 2 of the 20 pages');
    expect(whyNotPrune({ ...pruning, unread: 1 }, false)).to.include('1 of the source could not be read');
    expect(whyNotPrune({ ...pruning, unread: 1 }, true)).to.equal(undefined);
  });

  it('are never deleted for a source without pages', () => {
    expect(whyNotPrune({ gone: 1, held: 0, stored: 1, named: 0, unread: 0 }, true)).to.include('has no pages');
    expect(whyNotPrune({ gone: 0, held: 0, stored: 0, named: 0, unread: 3 }, false)).to.equal(undefined);
  });
});
