import { expect } from 'chai';
import { reasonNotToPrune } from '#src/sync/sync-pages.js';

describe('pages that are gone', () => {
  const pruning = { gone: 20, held: 0, stored: 100, named: 80, unread: 0 };

  it('are deleted up to a fifth of the project, and beyond that by force', () => {
    expect(reasonNotToPrune(pruning, false)).to.equal(undefined);
    expect(reasonNotToPrune({ ...pruning, gone: 21 }, false)).to.include("21 of the project's 100 pages");
    expect(reasonNotToPrune({ ...pruning, gone: 21 }, true)).to.equal(undefined);
    expect(reasonNotToPrune({ ...pruning, held: 2 }, false)).to.include('held back 2 of the 20 pages');
    expect(reasonNotToPrune({ ...pruning, unread: 1 }, false)).to.include('1 of the source could not be read');
    expect(reasonNotToPrune({ ...pruning, unread: 1 }, true)).to.equal(undefined);
  });

  it('are never deleted for a source without pages', () => {
    expect(reasonNotToPrune({ gone: 1, held: 0, stored: 1, named: 0, unread: 0 }, true)).to.include('has no pages');
    expect(reasonNotToPrune({ gone: 0, held: 0, stored: 0, named: 0, unread: 3 }, false)).to.equal(undefined);
  });
});
