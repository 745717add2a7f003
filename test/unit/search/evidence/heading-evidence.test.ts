import { expect } from 'chai';
import { prepareQuestion } from '#src/search/evidence/heading-evidence.js';

describe('the evidence of a heading', () => {
  const compare = prepareQuestion('How do I clean the steam wands?');

  it('is high for a heading that the question names, in any form of its words', () => {
    const named = compare('Cleaning the steam wand');
    const other = compare('Descaling the boiler');
    expect(named.headingCover).to.equal(1);
    expect(other.headingCover).to.be.below(0.5);
    expect(named.headingTrigrams).to.be.above(other.headingTrigrams);
  });

  it('is 1 for the question itself, and 0 without words on either side', () => {
    expect(prepareQuestion('Steam wand')('steam  WAND')).to.deep.equal({ headingTrigrams: 1, headingCover: 1 });
    expect(compare('…')).to.deep.equal({ headingTrigrams: 0, headingCover: 0 });
    expect(prepareQuestion('?')('Steam wand')).to.deep.equal({ headingTrigrams: 0, headingCover: 0 });
  });

  it('compares the characters of scripts without spaces', () => {
    const ask = prepareQuestion('使用说明');
    expect(ask('使用说明').headingCover).to.equal(1);
    expect(ask('联系我们').headingTrigrams).to.be.below(0.3);
  });
});
