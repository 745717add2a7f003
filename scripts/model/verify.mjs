// Loads the exported model as the product does and compares it with Python's vectors; measures time per text.
// usage: node verify.mjs MODELS_DIR pathmend-static-v1 REFERENCE.json      (REFERENCE.json by reference.py)
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { env, pipeline } from '@huggingface/transformers';

const [models, id, reference] = process.argv.slice(2);
env.localModelPath = path.resolve(models);
env.allowRemoteModels = false;
const extract = await pipeline('feature-extraction', id, { dtype: 'fp32' });
const vector = async (text) => (await extract(text, { pooling: 'mean', normalize: true })).data;

let compared = 0,
  worst = 1,
  differing = 0;
for (const { text, ids, vector: expected } of JSON.parse(readFileSync(reference, 'utf8'))) {
  const tokens = extract.tokenizer.encode(text);
  if (tokens.join() !== ids.join()) {
    differing += 1;
    console.log(`ids differ: ${JSON.stringify(text.slice(0, 60))} ${tokens.slice(0, 12)} | ${ids.slice(0, 12)}`);
  }
  if (!tokens.length || !expected.some((x) => x)) continue; // no known token: no direction to compare
  const got = await vector(text);
  const cosine = got.reduce((sum, x, i) => sum + x * expected[i], 0);
  worst = Math.min(worst, cosine);
  compared += 1;
}
console.log(`${compared} texts compared, lowest cosine ${worst.toFixed(5)}, ${differing} tokenized differently`);

for (const text of ['', '   ', 'x'.repeat(5000)]) {
  try {
    console.log(`odd input of ${text.length} characters:`, [...(await vector(text)).slice(0, 3)]);
  } catch (error) {
    console.log(`odd input of ${text.length} characters: ${error.message}`);
  }
}

// Padding must not change a vector.
const texts = ['reset password', 'how do I open an account for a friend who lives abroad'];
const batch = await extract(texts, { pooling: 'mean', normalize: true });
for (let i = 0; i < texts.length; i++) {
  const alone = await vector(texts[i]);
  console.log(
    'batch against single, cosine',
    alone.reduce((sum, x, j) => sum + x * batch.data[i * alone.length + j], 0).toFixed(6),
  );
}

const query = 'docs api v2 getting started';
const passage = JSON.parse(readFileSync(reference, 'utf8'))
  .map((r) => r.text)
  .filter((t) => t.length === 600)[0];
for (const [name, text] of [
  ['query', query],
  ['passage', passage],
]) {
  for (let i = 0; i < 50; i++) await vector(text);
  const began = performance.now();
  for (let i = 0; i < 500; i++) await vector(text);
  console.log(
    `${name} of ${extract.tokenizer.encode(text).length} tokens: ${((performance.now() - began) / 500).toFixed(3)} ms`,
  );
}
const many = Array(32).fill(passage);
await extract(many, { pooling: 'mean', normalize: true });
const began = performance.now();
for (let i = 0; i < 20; i++) await extract(many, { pooling: 'mean', normalize: true });
console.log(`passage in batches of 32: ${((performance.now() - began) / 20 / 32).toFixed(3)} ms`);
