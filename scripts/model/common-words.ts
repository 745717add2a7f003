/** Writes models/common-words.bin: the whole words of pathmend-static-v2, by which spelling knows what is no slip. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import { setOfWords } from './set-of-words.js';

const models = join(packageRoot(), 'models');
const tokenizer = JSON.parse(await readFile(join(models, 'pathmend-static-v2', 'tokenizer.json'), 'utf8')) as {
  model: { vocab: Record<string, number> };
};
const set = setOfWords(Object.keys(tokenizer.model.vocab));
const bytes = Buffer.alloc(set.length * 4);
set.forEach((hash, at) => bytes.writeUInt32LE(hash, at * 4));
await writeFile(join(models, 'common-words.bin'), bytes);
