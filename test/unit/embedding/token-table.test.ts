import { join } from 'node:path';
import { expect } from 'chai';
import { readManifest } from '#src/embedding/model-manifest.js';
import { disableTelemetry } from '#src/embedding/no-telemetry.js';
import { OnnxInference } from '#src/embedding/onnx-inference.js';
import { hasNoLayers, readTableAside } from '#src/embedding/read-table-aside.js';
import { createTableInference, readTokenTable, type ReadStates } from '#src/embedding/token-table.js';
import { packageRoot } from '#src/package-root.js';

/**
 * A model whose numbers for a token are computed: `value` is told the token, the dimension and the tokens beside it.
 */
function states(value: (token: number, i: number, row: readonly number[], at: number) => number): ReadStates {
  const dimensions = 4;
  return (row, read) =>
    Promise.resolve(
      read({
        dimensions,
        data: Float32Array.from(
          row.flatMap((token, at) => Array.from({ length: dimensions }, (_, i) => value(token, i, row, at))),
        ),
      }),
    );
}

/** Eight-bit numbers, each row with one of the largest, times a scale of the row's own. */
const eightBit = (token: number, i: number): number =>
  (i === token % 4 ? 127 : ((token * 31 + i * 17) % 255) - 127) * ((token + 1) / 1000);

describe('the table of a static model', () => {
  it("gives the bundled model's vectors without its session", async () => {
    const folder = join(packageRoot(), 'models', 'pathmend-static-v1');
    const manifest = await readManifest(folder);
    if (!manifest) throw new Error('the bundled model has no manifest');
    disableTelemetry();
    const session = await OnnxInference.open(folder, manifest, 1, 0);
    try {
      const table = await readTokenTable(
        (tokens, read) => session.readStates(tokens, read),
        33_454,
        manifest.maximumTokens,
      );
      if (!table) throw new Error('the bundled model has no table');
      const request = { folder, manifest, vocabulary: 33_454 };
      expect(await readTableAside(request)).to.deep.equal(table);
      // Even and odd lengths, since two tokens are added up in one turn, and no token at all.
      const rows = Array.from({ length: 40 }, (_, length) =>
        Array.from({ length }, (_, at) => (at * 7919 + length * 104_729) % 33_454),
      );
      rows.push(Array.from({ length: 200 }, (_, at) => at * 167));
      const ours = createTableInference(table, manifest.normalize);
      for (const row of rows) {
        const theirs = await session.embed(row);
        (await ours.embed(row)).forEach((number, i) => {
          expect(number).to.be.closeTo(theirs[i] ?? NaN, 5e-7);
        });
      }
    } finally {
      await session.dispose();
    }
  });

  it('is not read in another process where the model has layers, or cannot be loaded', async () => {
    const nowhere = join(packageRoot(), 'models', 'none');
    expect(await hasNoLayers(nowhere)).to.equal(false);
    expect(await hasNoLayers(join(packageRoot(), 'models', 'pathmend-static-v1'))).to.equal(true);
    const manifest = await readManifest(join(packageRoot(), 'models', 'pathmend-static-v1'));
    if (!manifest) throw new Error('the bundled model has no manifest');
    expect(await readTableAside({ folder: nowhere, manifest, vocabulary: 33_454 })).to.equal(undefined);
  });

  it('holds every token of the vocabulary, also where the last row of the reading is not full', async () => {
    const table = await readTokenTable(states(eightBit), 2_051, 200);
    const inference = createTableInference(table ?? expect.fail('no table'), false);
    for (let token = 0; token < 2_051; token += 1) {
      (await inference.embed([token])).forEach((number, i) => {
        expect(number).to.be.closeTo(eightBit(token, i), 1e-4);
      });
    }
  });

  it('gives the mean, which a model that does not ask for unit length keeps', async () => {
    const table = await readTokenTable(states(eightBit), 300, 200);
    const inference = createTableInference(table ?? expect.fail('no table'), false);
    const mean = await inference.embed([10, 20, 20]);
    expect(mean[1]).to.be.closeTo((eightBit(10, 1) + 2 * eightBit(20, 1)) / 3, 1e-5);
    expect([...(await inference.embed([]))]).to.deep.equal([0, 0, 0, 0]);
  });

  it('is not there for a model that reads a token by its neighbours, its place, or the length of the text', async () => {
    const beside = states((token, i, row, at) => eightBit(token, i) + ((row[at - 1] ?? 0) > token ? 1e-6 : 0));
    const placed = states((token, i, _row, at) => eightBit(token, i) * (1 + at / 1e5));
    expect(await readTokenTable(beside, 300, 200)).to.equal(undefined);
    expect(await readTokenTable(placed, 300, 200)).to.equal(undefined);
    const shared = states((token, i, row) => eightBit(token, i) / row.length);
    expect(await readTokenTable(shared, 300, 200)).to.equal(undefined);
  });

  it('is not there for rows that are no eight-bit numbers', async () => {
    expect(
      await readTokenTable(
        states((token, i) => Math.sin(token * 4 + i)),
        300,
        200,
      ),
    ).to.equal(undefined);
    expect(
      await readTokenTable(
        states((token, i) => (token === 200 && i === 2 ? NaN : eightBit(token, i))),
        300,
        200,
      ),
    ).to.equal(undefined);
  });

  it('is looked for in texts that a model can read', async () => {
    const lengths: number[] = [];
    const all = states((token, i, _row, at) => eightBit(token, i) + at);
    expect(
      await readTokenTable(
        (tokens, read) => {
          lengths.push(tokens.length);
          return all(tokens, read);
        },
        300,
        16,
      ),
    ).to.equal(undefined);
    expect(lengths).to.deep.equal([16, 8]);
  });
});
