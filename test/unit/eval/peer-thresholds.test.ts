import { expect } from 'chai';
import type { Outcome } from '../../../scripts/eval/measures.js';
import { measureAt, placeThreshold } from '../../../scripts/eval/peers/place-threshold.js';
import { wordpressGuess } from '../../../scripts/eval/peers/wordpress.js';

const right = (score: number): Outcome => ({ score, right: true });
const wrong = (score: number): Outcome => ({ score, right: false });
const SITES = [
  [right(9), wrong(8), right(7), right(2)],
  [wrong(6), right(3)],
];

describe("eval: a peer's threshold", () => {
  it('is the highest that sends the wanted share of redirects to the right page, all sites weighing the same', () => {
    expect(placeThreshold(SITES, 0.125)).to.equal(9);
    expect(placeThreshold(SITES, 0.25)).to.equal(7);
    expect(placeThreshold(SITES, 0.26)).to.equal(3);
    expect(placeThreshold(SITES, 0.625)).to.equal(2);
  });

  it('is none if the peer never has so many right', () => {
    expect(placeThreshold(SITES, 0.63)).to.equal(undefined);
    expect(placeThreshold([], 0.1)).to.equal(undefined);
  });

  it('redirects whatever scores as much, and counts what is right with a third of each kind', () => {
    const measured = measureAt(
      { redirects: SITES, typos: [[right(5)]], takenOff: [[wrong(4), wrong(1), wrong(0)]] },
      3,
    );
    expect(measured).to.include({ redirects: 0.875, redirectsRight: 0.5, typos: 1, typosRight: 1, takenOffRight: 0 });
    expect(measured['takenOff']).to.be.closeTo(1 / 3, 1e-9);
    expect(measured['right']).to.be.closeTo(1.5 / (0.875 + 1 + 1 / 3), 1e-9);
  });
});

describe("eval: WordPress's guess of a moved permalink", () => {
  const pages = ['/2021/05/brakes-and-tyres/', '/blog/brakes/', '/2020/04/brakes-and-lamps/'].map((path) => ({ path }));
  const guess = async (text: string, sameFolder = false): Promise<string[]> =>
    (await wordpressGuess(pages, sameFolder).rank({ text, isPath: true })).map(({ path }) => path);

  it('is the first page whose slug begins with the dead one, of the date and the folder that it names', async () => {
    expect(await guess('/help/brakes.html')).to.deep.equal(['/blog/brakes/']);
    expect(await guess('/2021/05/brakes')).to.deep.equal(['/2021/05/brakes-and-tyres/']);
    expect(await guess('/2022/05/brakes')).to.deep.equal([]);
    expect(await guess('/help/brakes', true)).to.deep.equal([]);
    expect(await guess('/')).to.deep.equal([]);
  });
});
