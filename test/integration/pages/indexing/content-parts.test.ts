import { expect } from 'chai';
import { chunksOfPage, cutHead, cutPart, embedParts, MAX_CHUNKS } from '#src/pages/indexing/embed-page.js';
import { sharedService } from '../../../support/shared-service.js';

describe('a part of a long content', () => {
  it('is the whole, where that is short', () => {
    expect(cutPart('', 0, 10)).to.equal('');
    expect(cutPart('0123456789', 0, 10)).to.equal('0123456789');
    expect(cutPart('0123456789', 4, 10)).to.equal('456789');
  });

  it('ends with a paragraph, line, sentence or word, whatever comes last in its second half', () => {
    expect(cutPart('One two three.\n\nFour. Five six seven', 0, 24)).to.equal('One two three.\n\n');
    expect(cutPart('One two three. Four five', 0, 20)).to.equal('One two three. ');
    expect(cutPart('One two three four', 0, 12)).to.equal('One two ');
  });

  it('never cuts a character in two, in scripts without spaces', () => {
    expect(cutPart('🏺🏺🏺🏺🏺', 0, 3)).to.equal('🏺');
    expect(cutPart('🏺🏺🏺🏺🏺', 2, 5)).to.equal('🏺🏺');
  });
});

describe('a long content, embedded in parts', () => {
  const paragraph = (i: number): string =>
    `## Chapter ${i}\n\n${Array.from({ length: 3 + (i % 5) }, (_, s) => `In sentence ${s} of chapter ${i} the gardener waters ${['quinces', 'beans', 'roses'][(i + s) % 3] ?? ''}.`).join(' ')}`;
  const CONTENTS: Record<string, string> = {
    chapters: Array.from({ length: 60 }, (_, i) => paragraph(i)).join('\n\n'),
    'one paragraph without an end': 'The garden in spring needs water, light and patience. '.repeat(300),
    // A paragraph of more than 4,096 characters is read in windows, which begin elsewhere where a part does.
    'a script without spaces': Array.from({ length: 20 }, () => '庭には春に水と光と忍耐が必要です。'.repeat(20)).join(
      '\n\n',
    ),
  };
  for (const [name, content] of Object.entries(CONTENTS)) {
    it(`has the passages of its head, and then those of the rest as a whole: ${name}`, async () => {
      const { models } = sharedService().service;
      const { modelId } = await models.named('static');
      const head = cutHead(content);
      const first = await models.embedContent(modelId, head);
      const rest = await models.embedContent(modelId, content.slice(head.length));
      const whole = [
        ...first,
        ...rest.map((chunk, at) => ({
          ...chunk,
          ordinal: first.length + at,
          start: head.length + chunk.start,
          end: head.length + chunk.end,
        })),
      ];
      const parts = await embedParts(models, modelId, content, { maxPart: 4_000 });
      const places = (passages: typeof whole): unknown[] =>
        passages.map(({ ordinal, start, end }) => [ordinal, start, end]);
      expect(head.length).to.be.within(650, 1_300);
      expect(whole.length).to.be.above(5);
      expect(places(parts)).to.deep.equal(places(whole));
    });
  }

  it('has no more passages than a page may have: what follows is found by its words alone', async () => {
    const all = await embedParts(
      {
        embedContent: (_model, text) =>
          Promise.resolve(
            Array.from({ length: text.length / 10 }, (_, ordinal) => {
              const start = ordinal * 10;
              return { ordinal, start, end: start + 10, vector: new Float32Array(1) };
            }),
          ),
      },
      0,
      'x'.repeat(100_000),
    );
    expect(all).to.have.length(MAX_CHUNKS);
    expect(all.at(-1)?.end).to.equal(MAX_CHUNKS * 10);
  });

  it('has a second of a slow model, and ten thousand words at least', () => {
    expect([0.05, 2, 10, 15, 100].map(chunksOfPage)).to.deep.equal([MAX_CHUNKS, 500, 100, 66, 60]);
  });

  it('is its head, where little follows', () => {
    const short = 'The garden in spring needs water, light and patience. '.repeat(35).trim();
    expect(cutHead(short)).to.equal(short);
  });

  it('comes to an end where a part has one passage', async () => {
    const { models } = sharedService().service;
    const content = 'word '.repeat(500);
    const { modelId } = await models.named('static');
    const parts = await embedParts(models, modelId, content, { maxPart: 50 });
    expect(parts.at(-1)?.end).to.be.within(content.length - 1, content.length);
  });
});
