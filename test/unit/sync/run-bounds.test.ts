import { expect } from 'chai';
import type { SourceItem } from '#src/sources/source.js';
import { RunBounds, type Bounds } from '#src/sync/run-bounds.js';

const PLENTY: Bounds = { pages: 1_000, bytes: 1e9, ms: 3_600_000 };

describe('the bounds of a run', () => {
  const page = (n: number): SourceItem => ({
    kind: 'page',
    page: { url: `https://a.example/${n}`, content: 'x' },
    where: `${n}`,
  });
  async function* pages(count: number, before: (n: number) => unknown = () => undefined): AsyncGenerator<SourceItem> {
    for (let n = 0; n < count; n++) {
      await before(n);
      yield page(n);
    }
  }
  async function read(bounds: RunBounds, source: AsyncIterable<SourceItem>): Promise<SourceItem[]> {
    const all: SourceItem[] = [];
    for await (const item of bounds.of(source)) all.push(item);
    return all;
  }
  const rest = (reason: string): SourceItem => ({ kind: 'refused', where: 'the rest of the source', reason });

  it('leave a source as it is that fits', async () => {
    expect(await read(new RunBounds(PLENTY), pages(3))).to.deep.equal([page(0), page(1), page(2)]);
  });

  it('end it after so many pages, and say so', async () => {
    const all = await read(new RunBounds({ ...PLENTY, pages: 2 }), pages(5));
    expect(all).to.deep.equal([page(0), page(1), rest('one run reads 2 pages')]);
  });

  it('end it after so many bytes, while it waits for the next page, too', async () => {
    const bounds = new RunBounds({ ...PLENTY, bytes: 2e6 });
    const all = await read(
      bounds,
      pages(5, (n) => {
        if (n === 0) return undefined;
        bounds.read(3e6);
        return new Promise(() => undefined);
      }),
    );
    expect(all).to.deep.equal([page(0), rest('one run reads 2 MB')]);
    expect(bounds.signal.aborted).to.equal(true);
  });

  it('end it after so long, though nothing comes', async () => {
    const all = await read(
      new RunBounds({ ...PLENTY, ms: 20 }),
      pages(1, () => new Promise(() => undefined)),
    );
    expect(all).to.deep.equal([rest('one run reads for 0.02 seconds')]);
  });

  it('do not hide why a source fails', async () => {
    const fails = pages(1, () => Promise.reject(new Error('broken')));
    const outcome = await read(new RunBounds(PLENTY), fails).catch((error: unknown) => String(error));
    expect(outcome).to.equal('Error: broken');
  });
});
