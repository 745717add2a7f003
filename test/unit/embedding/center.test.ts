import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { deriveManifest } from '#src/embedding/derive-manifest.js';
import { computeFingerprint, hashFile } from '#src/embedding/model-manifest.js';
import { openModel } from '#src/embedding/open-model.js';
import { OnnxModel } from '#src/embedding/onnx-model.js';
import { buildTinyModel, type TinyModel } from '../../support/tiny-model.js';

describe('the center of a model, which is taken off its vectors', () => {
  let tiny: TinyModel;

  beforeEach(async () => {
    tiny = await buildTinyModel({ words: ['cat', 'dog'] });
  });

  afterEach(() => rm(tiny.folder, { recursive: true }));

  async function manifestWith(center: Float32Array) {
    await writeFile(join(tiny.folder, 'center.bin'), center);
    const derived = { ...(await deriveManifest(tiny.folder, 'tiny')), dimensions: tiny.dimensions };
    const files = { ...derived.files, 'center.bin': await hashFile(join(tiny.folder, 'center.bin')) };
    return { derived, centered: { ...derived, files } };
  }

  it('is used where the manifest lists it: vectors lie on the other side of it, and have length one', async () => {
    const center = new Float32Array(tiny.dimensions).fill(0.1);
    const { derived, centered } = await manifestWith(center);
    const [plain, moved] = [await OnnxModel.open(tiny.folder, derived), await OnnxModel.open(tiny.folder, centered)];
    const before = await plain.embed('query', 'cat');
    const rest = Array.from(before, (value) => value - 0.1);
    const length = Math.hypot(...rest);
    const after = await moved.embed('query', 'cat');
    for (const [i, value] of after.entries()) expect(value).to.be.closeTo((rest[i] ?? 0) / length, 1e-5);
    expect(computeFingerprint(centered)).to.not.equal(computeFingerprint(derived));
    await plain.dispose();
    await moved.dispose();
  });

  it('that is too short keeps the model from being loaded', async () => {
    const { centered } = await manifestWith(new Float32Array(tiny.dimensions - 1));
    await writeFile(join(tiny.folder, 'manifest.json'), JSON.stringify(centered));
    const options = { cacheFolder: tiny.folder, hubUrl: '' };
    const refused = await openModel(tiny.folder, options, new Map()).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(refused).to.include('cannot embed');
  });
});
