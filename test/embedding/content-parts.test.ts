import { expect } from 'chai';
import { partsOf } from '#src/pages/content-parts.js';

describe('the parts of a long content', () => {
  const cut = (content: string, most: number): string[] => {
    const parts = [...partsOf(content, most)];
    for (const { start, text } of parts) expect(content.slice(start, start + text.length)).to.equal(text);
    expect(parts.map(({ text }) => text).join('')).to.equal(content);
    for (const { text } of parts) expect(text.length).to.be.at.most(most);
    return parts.map(({ text }) => text);
  };

  it('are the whole, where that is short', () => {
    expect(cut('', 10)).to.deep.equal(['']);
    expect(cut('0123456789', 10)).to.deep.equal(['0123456789']);
  });

  it('end with paragraphs, lines, sentences or words, whatever comes last in the second half', () => {
    expect(cut('One two three.\n\nFour. Five six seven', 24)).to.deep.equal(['One two three.\n\n', 'Four. Five six seven']);
    expect(cut('One two three. Four five', 20)).to.deep.equal(['One two three. ', 'Four five']);
    expect(cut('One two three four', 12)).to.deep.equal(['One two ', 'three four']);
  });

  it('never cut a character in two, in scripts without spaces', () => {
    expect(cut('🏺🏺🏺🏺🏺', 3)).to.deep.equal(['🏺', '🏺', '🏺', '🏺', '🏺']);
  });
});
