import { expect } from 'chai';
import { cutText } from '#src/text/cut-text.js';

describe('cutText', () => {
  it('takes so many units of a text at most, and never half of a surrogate pair', () => {
    expect(cutText('four', 4)).to.equal('four');
    expect(cutText('four', 3)).to.equal('fou');
    expect(cutText('a\u{1f600}b', 2)).to.equal('a');
    expect(cutText('a\u{1f600}b', 3)).to.equal('a\u{1f600}');
    expect(cutText('', 0)).to.equal('');
  });
});
