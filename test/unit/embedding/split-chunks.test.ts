import { expect } from 'chai';
import { splitChunks } from '#src/embedding/split-chunks.js';

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0;
const characters = (text: string): number => text.length;

const PAIR = /^[\ud800-\udbff][\udc00-\udfff]$/;

function texts(content: string, most: number, overlap = 0, count = words): string[] {
  return [...splitChunks(content, count, most, overlap)].map(({ start, end }) => content.slice(start, end));
}

/** Every character that is not white space lies in a passage, and no passage parts a surrogate pair. */
function expectAllCovered(content: string, most: number): void {
  const passages = [...splitChunks(content, words, most, 4)];
  let covered = 0;
  for (const { start, end } of passages) {
    expect(content.slice(covered, Math.max(start, covered)).trim(), `left out before ${start}`).to.equal('');
    for (const at of [start, end]) expect(content.slice(at - 1, at + 1), `a pair parted at ${at}`).not.to.match(PAIR);
    covered = Math.max(covered, end);
  }
  expect(content.slice(covered).trim(), 'left out at the end').to.equal('');
}

describe('splitting content into passages', () => {
  it('keeps a short text whole, without the white space around it', () => {
    expect(texts('\n  Opening hours are nine to five.  \n', 50)).to.deep.equal(['Opening hours are nine to five.']);
  });

  it('gives no passage for white space', () => {
    expect(texts(' \r\n\t \u00a0', 50)).to.deep.equal([]);
  });

  it('gives one passage for text that has no tokens', () => {
    expect(texts('😀 😀', 50, 0, () => 0)).to.deep.equal(['😀 😀']);
  });

  it('begins a passage at a heading rather than filling the one before', () => {
    const content = '# Cats\n\nOne two three four five.\n\n# Dogs\n\nSix seven eight. Nine ten eleven twelve.';
    expect(texts(content, 12)).to.deep.equal([
      '# Cats\n\nOne two three four five.',
      '# Dogs\n\nSix seven eight. Nine ten eleven twelve.',
    ]);
  });

  it('does not leave a heading behind at the end of a passage', () => {
    const content = 'One two three four five.\n\n## Dogs\n\nSix seven eight nine ten.';
    expect(texts(content, 8)).to.deep.equal(['One two three four five.', '## Dogs\n\nSix seven eight nine ten.']);
  });

  it('does not take a comment in a code block for a heading', () => {
    const content = 'a b c d e f g h.\n\n```\ni j k l\n# m n\n```\n\no p q r s t u v w.';
    expect(texts(content, 18)[1]).to.equal('o p q r s t u v w.');
  });

  it('shares what is left between the last two passages, so that none is a short rest', () => {
    const content = 'Ab cd. '.repeat(11);
    expect(texts(content, 10).map(words)).to.deep.equal([10, 6, 6]);
  });

  it('prefers the end of a paragraph, then of a sentence, then of a line', () => {
    expect(texts('a b c.\n\nd e. f g.', 6)).to.deep.equal(['a b c.', 'd e. f g.']);
    expect(texts('A b c d. E f\ng h i.', 7)).to.deep.equal(['A b c d.', 'E f\ng h i.']);
  });

  it('cuts a sentence that is too long between words, a word that is too long inside', () => {
    const sentence = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
    for (const passage of texts(sentence, 20)) expect(passage).to.match(/^word\d+( word\d+)*$/);
    const cut = texts('x'.repeat(1000), 100, 0, characters);
    expect(cut.join('')).to.equal('x'.repeat(1000));
    expect(Math.max(...cut.map((each) => each.length))).to.be.at.most(100);
  });

  it('repeats a short sentence before a cut inside a paragraph, but not a long one', () => {
    const content = 'One two three four five six. Seven eight. Nine ten eleven twelve thirteen.';
    expect(texts(content, 10, 2)).to.deep.equal([
      'One two three four five six. Seven eight.',
      'Seven eight. Nine ten eleven twelve thirteen.',
    ]);
    expect(texts(content, 10, 1)[1]).to.equal('Nine ten eleven twelve thirteen.');
  });

  it('never exceeds the token limit', () => {
    const content = 'Some words here, and more of them! '.repeat(300) + '漢字'.repeat(3000) + '😀'.repeat(500);
    for (const most of [9, 50, 126]) {
      for (const text of texts(content, most, 5, characters)) expect(text.length).to.be.at.most(most);
    }
  });

  const megabyte = 1_000_000;
  const adversarial: Record<string, string> = {
    'one word of a million characters': 'a'.repeat(megabyte),
    '300,000 emoji': '😀'.repeat(300_000),
    'emoji joined to families': '👨‍👩‍👧‍👦'.repeat(20_000),
    'right-to-left text': 'שלום עולם. مرحبا بالعالم؟ '.repeat(megabyte / 26),
    'zero-width characters': '\u200b\u200d'.repeat(megabyte / 2),
    'text with CRLF': 'A line of text.\r\nAnother one\r\n\r\n'.repeat(30_000),
    'a million line ends': `${'\n'.repeat(megabyte)}end`,
    'a million spaces': `start${' '.repeat(megabyte)}end`,
    'half a million full stops and digits': '.1'.repeat(megabyte / 2),
    'half a million headings': '# \n'.repeat(megabyte / 3),
    'text without spaces': '漢字仮名交じり文。'.repeat(100_000),
    'Thai without spaces': 'สวัสดีชาวโลก'.repeat(80_000),
    abbreviations: 'e.g. i.e. a.b.c. '.repeat(60_000),
    'combining marks': `e${'\u0301'.repeat(megabyte)}`,
    'lone surrogates next to pairs': '\ud83d\u{1f600}\udc00x'.repeat(10_000),
  };
  for (const [name, content] of Object.entries(adversarial)) {
    it(`takes ${name}: nothing is left out, no pair is parted, and it ends`, () => {
      // Linear runs take 0.1 to 2 s; anything quadratic would take minutes, which the test's time limit ends.
      expectAllCovered(content, 126);
    });
  }
});
