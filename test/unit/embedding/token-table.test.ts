import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readManifest, type ModelManifest } from '#src/embedding/model-manifest.js';
import { disableTelemetry } from '#src/embedding/no-telemetry.js';
import { OnnxInference } from '#src/embedding/onnx-inference.js';
import { readStaticTable } from '#src/embedding/static-table.js';
import { createTableInference, type TokenTable } from '#src/embedding/token-table.js';
import { packageRoot } from '#src/base/package-root.js';
import { buildTinyModel } from '../../support/tiny-model.js';

const ROWS = { 'pathmend-static-v2': 62_558 };

const folderOf = (name: string): string => join(packageRoot(), 'models', name);
const fileOf = (name: string): string => join(folderOf(name), 'onnx', 'model.onnx');

async function manifestOf(name: string): Promise<ModelManifest> {
  return (await readManifest(folderOf(name))) ?? expect.fail('no manifest');
}

describe('the table of a static model', () => {
  for (const [name, rows] of Object.entries(ROWS))
    it(`gives the vectors of ${name} without its session`, async () => {
      const manifest = await manifestOf(name);
      disableTelemetry();
      const session = await OnnxInference.open(folderOf(name), manifest, 1, 0);
      try {
        const table = readStaticTable(fileOf(name), rows, manifest.dimensions) ?? expect.fail('no table');
        // Even and odd lengths, since two tokens are added up in one turn, and no token at all.
        const texts = Array.from({ length: 40 }, (_, length) =>
          Array.from({ length }, (_, at) => (at * 7919 + length * 104_729) % rows),
        );
        texts.push(Array.from({ length: 200 }, (_, at) => at * Math.floor(rows / 200)));
        const ours = createTableInference(table, manifest.normalize);
        for (const text of texts) {
          const theirs = await session.embed(text);
          (await ours.embed(text)).forEach((number, i) => {
            expect(number).to.be.closeTo(theirs[i] ?? NaN, 5e-7);
          });
        }
        const some = [0, 1, 5, rows - 2, rows - 1];
        const states = await session.readStates(some, ({ data }) => Array.from(data));
        const read = some.flatMap((token) =>
          Array.from(table.numbers.subarray(token * 256, (token + 1) * 256), (number) =>
            Math.fround(number * (table.scales[token] as number)),
          ),
        );
        expect(read).to.deep.equal(states);
      } finally {
        await session.dispose();
      }
    });

  it('is not read of a model of another make, of another size, or of a file that ends early', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-table-'));
    try {
      const file = fileOf('pathmend-static-v2');
      expect(readStaticTable(file, 62_558, 256)).not.to.equal(undefined);
      expect(readStaticTable(file, 62_557, 256)).to.equal(undefined);
      expect(readStaticTable(file, 256, 62_558)).to.equal(undefined);
      const bytes = await readFile(file);
      const cut = join(folder, 'cut.onnx');
      for (const length of [0, 1, 30, 1_000, 8_000_000]) {
        await writeFile(cut, bytes.subarray(0, length));
        expect(readStaticTable(cut, 62_558, 256), `${length} bytes`).to.equal(undefined);
      }
      const other = join(folder, 'other.onnx');
      await writeFile(other, Buffer.from(bytes.toString('latin1').replace('pathmend', 'somebody'), 'latin1'));
      expect(readStaticTable(other, 62_558, 256)).to.equal(undefined);
      const tiny = await buildTinyModel({ folder });
      expect(readStaticTable(join(folder, 'onnx', 'model.onnx'), tiny.table.length / 16, 16)).to.equal(undefined);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('gives the mean, which a model that does not ask for unit length keeps', async () => {
    const table: TokenTable = {
      dimensions: 2,
      numbers: Int8Array.of(127, -3, 10, 127, 0, -127),
      scales: Float32Array.of(0.5, 1, 0.25),
    };
    const inference = createTableInference(table, false);
    expect([...(await inference.embed([0, 1, 1]))]).to.deep.equal([
      Math.fround((63.5 + 20) / 3),
      Math.fround((-1.5 + 254) / 3),
    ]);
    expect([...(await inference.embed([2, 0]))]).to.deep.equal([31.75, (-31.75 - 1.5) / 2]);
    expect([...(await inference.embed([]))]).to.deep.equal([0, 0]);
  });
});
