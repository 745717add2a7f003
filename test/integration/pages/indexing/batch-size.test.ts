import { expect } from 'chai';
import { pagesOfBatch } from '#src/pages/indexing/vectorize-job.js';
import { sharedService } from '../../../support/shared-service.js';

describe('pages of a batch', () => {
  it('are few for a slow model, so that a page that is pushed meanwhile waits for half a second of it at most', () => {
    expect(pagesOfBatch(40)).to.equal(4);
    expect(pagesOfBatch(10)).to.equal(16);
  });

  it('are more for a model that is fast, and never more than 128', () => {
    expect(pagesOfBatch(2)).to.equal(83);
    expect(pagesOfBatch(0.001)).to.equal(128);
  });

  it('are 4 for one that takes minutes for a passage', () => {
    expect(pagesOfBatch(1e5)).to.equal(4);
  });

  it('follow from what the loaded model took', async () => {
    const { chunkMs } = (await sharedService().service.models.named('static')).model;
    expect(chunkMs).to.be.above(0);
    expect(pagesOfBatch(chunkMs)).to.be.within(4, 128);
  });
});
