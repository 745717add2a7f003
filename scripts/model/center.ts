/**
 * Writes `center.bin` for a model whose cosines lie in a narrow band: nine tenths of the mean of the vectors of pages,
 * in which each site counts the same. It is used when the manifest lists its hash.
 * `node .build/scripts/model/center.js MODEL_FOLDER SITE_FOLDER…`: run it while the manifest does not list the file.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CENTER_FILE, readManifest } from '#src/embedding/model-manifest.js';
import { OnnxModel } from '#src/embedding/onnx-model.js';
import { OperatorError } from '#src/base/errors.js';
import { readSite, spread } from '../eval/site-data.js';

/** Questions in visitors' own words, multilingual-e5-small: 0 .337/.546, .5 .371/.554, .9 .383/.567, 1 .375/.563. */
const SHARE = 0.9;
/** Pages of a site; of each the first words. */
const MOST = 200;
const CHARACTERS = 800;

const [model = '', ...sites] = process.argv.slice(2);
const folder = resolve(model);
const manifest = await readManifest(folder);
if (!manifest || sites.length === 0) throw new OperatorError('MODEL_FOLDER SITE_FOLDER… are needed.');
const loaded = await OnnxModel.open(folder, manifest, undefined, 2);
const center = new Float32Array(manifest.dimensions);
for (const site of sites) {
  const some = spread((await readSite(site)).pages, MOST);
  for (const { content } of some) {
    const vector = await loaded.embed('passage', content.slice(0, CHARACTERS));
    for (const [i, value] of vector.entries()) {
      center[i] = (center[i] ?? 0) + (SHARE * value) / some.length / sites.length;
    }
  }
}
await loaded.dispose();
await writeFile(join(folder, CENTER_FILE), center);
