import { expect } from 'chai';
import { appendFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import type { Embedder, LoadedModel } from '#src/embedding/embedder.js';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { deriveManifest } from '#src/embedding/derive-manifest.js';
import { packageRoot } from '#src/base/package-root.js';
import { buildTinyModel, type TinyModel } from '../../support/tiny-model.js';
import { cosine, rejection } from './rejection.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

function expectSameDirection(unit: Float32Array, other: Float32Array): void {
  expect(cosine(unit, other) / Math.sqrt(cosine(other, other))).to.be.closeTo(1, 1e-5);
}

describe('the embedder', () => {
  let embedder: Embedder;
  let bundled: LoadedModel;
  let tiny: TinyModel;
  const scratch = temporaryFolder();

  before(async () => {
    tiny = await buildTinyModel({ folder: join(scratch, 'tiny'), words: ['cat', 'dog'] });
    embedder = new EmbedderPool({ pageThreads: 1, cacheFolder: join(scratch, 'cache') });
    bundled = await embedder.load('static');
  });

  after(async () => {
    await embedder.stop();
  });

  describe('loading', () => {
    it('takes the default model where none is named, and is ready', () => {
      expect(bundled.location).to.equal(join(packageRoot(), 'models/pathmend-static-v2'));
      expect(bundled.manifest.id).to.equal('pathmend-static-v2');
      expect(embedder.ready()).to.equal(true);
    });

    it('loads a location once', async () => {
      expect(embedder.load('static')).to.equal(embedder.load('static'));
      expect(await embedder.load('static')).to.equal(bundled);
    });

    it('derives the manifest of a folder without one, dimensions by a trial', async () => {
      const { manifest, fingerprint } = await embedder.load(tiny.folder);
      expect(manifest).to.include({ id: 'tiny', dimensions: 16, pooling: 'mean', dtype: 'fp32' });
      expect(fingerprint).to.match(/^[0-9a-f]{64}$/);
    });

    it('takes two models without a manifest, of word pieces and of Unigram, as their files and names say', async () => {
      const pieces = await buildTinyModel({
        folder: join(scratch, 'pieces'),
        words: ['query', 'cat'],
        files: {
          '1_Pooling/config.json': { pooling_mode_cls_token: true },
          'config_sentence_transformers.json': { prompts: { query: 'cat ' } },
        },
      });
      const unigram = await buildTinyModel({
        folder: join(scratch, 'e5-tiny'),
        words: ['query:', 'passage:', 'cat', 'dog'],
        unigram: true,
      });
      const [first, second] = [await embedder.load(pieces.folder), await embedder.load(unigram.folder)];
      expect(first.manifest).to.deep.include({ pooling: 'cls', prefixes: { query: 'cat ', passage: '' } });
      expect(second.manifest).to.deep.include({
        pooling: 'mean',
        prefixes: { query: 'query: ', passage: 'passage: ' },
      });
      expect(new Set([bundled.fingerprint, first.fingerprint, second.fingerprint]).size).to.equal(3);

      const begin = pieces.row('[CLS]');
      expectSameDirection(await embedder.embedQuery(first.fingerprint, 'dog'), begin);
      const rows = ['<s>', '▁query:', '▁cat', '▁dog', '</s>'].map((token) => unigram.row(token));
      const sum = begin.map((_, at) => rows.reduce((total, row) => total + (row[at] ?? 0), 0));
      expectSameDirection(await embedder.embedQuery(second.fingerprint, 'cat dog'), sum);
    });

    it('refuses a tampered file, in words, and loads it once it is mended', async () => {
      const folder = join(scratch, 'copy');
      await cp(tiny.folder, folder, { recursive: true });
      const manifest = { ...(await deriveManifest(folder, 'copy')), dimensions: 16 };
      await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
      await appendFile(join(folder, 'tokenizer.json'), ' ');
      const error = await rejection(embedder.load(folder), ModelUnavailable);
      expect(error.message).to.match(/tokenizer\.json is not the file that manifest\.json describes.*not loaded/);
      await cp(join(tiny.folder, 'tokenizer.json'), join(folder, 'tokenizer.json'));
      expect((await embedder.load(folder)).manifest).to.deep.equal(manifest);
    });

    it("refuses a manifest whose dimensions are not the model's", async () => {
      const folder = join(scratch, 'wrong-dimensions');
      await cp(tiny.folder, folder, { recursive: true });
      const manifest = { ...(await deriveManifest(folder, 'x')), dimensions: 17, maximumTokens: 60 };
      await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
      const error = await rejection(embedder.load(folder), ModelUnavailable);
      expect(error.message).to.match(/says 17 dimensions, but the model gives 16/);
    });

    it('refuses a file that is no model', async () => {
      const folder = join(scratch, 'garbage');
      await cp(tiny.folder, folder, { recursive: true });
      await writeFile(join(folder, 'onnx/model.onnx'), 'version https://git-lfs.github.com/spec/v1');
      expect((await rejection(embedder.load(folder), ModelUnavailable)).message).to.include(folder);
    });

    it('knows no model by another fingerprint', async () => {
      await rejection(embedder.embedQuery('0'.repeat(64), 'x'), ModelUnavailable);
      await rejection(embedder.embedContent('0'.repeat(64), 'x'), ModelUnavailable);
    });
  });

  describe('vectors', () => {
    it('are unit length', async () => {
      const query = await embedder.embedQuery(bundled.fingerprint, 'opening hours');
      expect(query.length).to.equal(bundled.manifest.dimensions);
      const passages = await embedder.embedContent(bundled.fingerprint, 'We open at nine. '.repeat(100));
      for (const vector of [query, ...passages.map((each) => each.vector)]) {
        expect(cosine(vector, vector)).to.be.closeTo(1, 1e-5);
      }
    });

    it('are the same for a text as a query and as a passage, and near for texts that are near', async () => {
      const query = await embedder.embedQuery(bundled.fingerprint, 'Resetting your password');
      const [same] = await embedder.embedContent(bundled.fingerprint, 'Resetting your password');
      const [other] = await embedder.embedContent(bundled.fingerprint, 'The cake needs four eggs and butter.');
      expect(cosine(query, same?.vector)).to.be.closeTo(1, 1e-4);
      expect(cosine(query, other?.vector)).to.be.below(0.7);
    });

    it('do not depend on the other passages of a batch', async () => {
      const paragraph = (at: number) => `${'Dogs like walks. '.repeat(at)}Cat number ${at} sleeps.`;
      const content = Array.from({ length: 60 }, (_, at) => paragraph(at)).join('\n\n');
      const passages = await embedder.embedContent(bundled.fingerprint, content);
      expect(passages.length).to.be.above(16);
      for (const { start, end, vector } of passages) {
        const [alone] = await embedder.embedContent(bundled.fingerprint, content.slice(start, end));
        expect(cosine(vector, alone?.vector)).to.be.above(1 - 1e-3);
      }
    });

    it('of a text that the model knows nothing of are zeros, not NaN', async () => {
      const { fingerprint } = bundled;
      for (const text of ['\u{1f984}\u{1f984}', '\u200b', '']) {
        const vector = await embedder.embedQuery(fingerprint, text);
        expect(vector.every(Number.isFinite), JSON.stringify(text)).to.equal(true);
      }
      const unknown = await embedder.embedContent(fingerprint, '\u{1f984}');
      expect(unknown.map(({ vector }) => vector)).to.deep.equal([new Float32Array(bundled.manifest.dimensions)]);
      expect(await embedder.embedContent(fingerprint, ' \n ')).to.deep.equal([]);
    });

    it("come from the tokens' rows by the pooling of the model", async () => {
      const rows = ['[CLS]', 'cat', 'dog', '[SEP]'].map((token) => tiny.row(token));
      const expected = {
        mean: tiny.row('cat').map((_, at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0)),
        max: tiny.row('cat').map((_, at) => Math.max(...rows.map((row) => row[at] ?? 0))),
        cls: tiny.row('[CLS]'),
      };
      for (const [kind, key] of [
        ['mean', 'mean_tokens'],
        ['max', 'max_tokens'],
        ['cls', 'cls_token'],
      ] as const) {
        const files = { '1_Pooling/config.json': { [`pooling_mode_${key}`]: true } };
        const { folder } = await buildTinyModel({ folder: join(scratch, kind), words: ['cat', 'dog'], files });
        const { fingerprint } = await embedder.load(folder);
        const vector = await embedder.embedQuery(fingerprint, 'Cat dog');
        expectSameDirection(vector, expected[kind]);
      }
    });

    it('are made with the prefix of their kind', async () => {
      const prompts = { query: 'cat ', passage: 'dog ' };
      const { folder } = await buildTinyModel({
        folder: join(scratch, 'prefixed'),
        words: ['cat', 'dog'],
        files: { 'config_sentence_transformers.json': { prompts } },
      });
      const [prefixed, plain] = [await embedder.load(folder), await embedder.load(tiny.folder)];
      const query = await embedder.embedQuery(prefixed.fingerprint, 'a');
      const [passage] = await embedder.embedContent(prefixed.fingerprint, 'a');
      expect(query).to.deep.equal(await embedder.embedQuery(plain.fingerprint, 'cat a'));
      expect(passage?.vector).to.deep.equal((await embedder.embedContent(plain.fingerprint, 'dog a'))[0]?.vector);
    });

    it('of two models are served at the same time', async () => {
      const other = await embedder.load(tiny.folder);
      const [a, b] = await Promise.all([
        embedder.embedQuery(bundled.fingerprint, 'cat'),
        embedder.embedQuery(other.fingerprint, 'cat'),
      ]);
      expect([a.length, b.length]).to.deep.equal([bundled.manifest.dimensions, 16]);
    });
  });

  describe('a long page', () => {
    it('is embedded to its last sentence, in order, with offsets into the content', async () => {
      const filler = 'A sentence about nothing in particular, with some words. '.repeat(2000);
      const content = `${filler}\r\n\r\nThe zebra stands at the end.`;
      const passages = await embedder.embedContent(bundled.fingerprint, content);
      expect(passages.map((each) => each.ordinal)).to.deep.equal(passages.map((_, at) => at));
      expect(content.slice(passages.at(-1)?.start, passages.at(-1)?.end)).to.include('The zebra stands at the end.');
      for (const [at, { start }] of passages.slice(1).entries()) {
        expect(start).to.be.at.most((passages[at]?.end ?? 0) + 4);
      }
    });

    it('never has a surrogate pair parted', async () => {
      const content = '😀'.repeat(5000);
      const passages = await embedder.embedContent(bundled.fingerprint, content);
      const texts = passages.map(({ start, end }) => content.slice(start, end));
      expect(texts.every((text) => text.isWellFormed())).to.equal(true);
      expect(passages.at(-1)?.end).to.equal(content.length);
    });

    it('may hold broken Unicode and NUL characters', async () => {
      const passages = await embedder.embedContent(bundled.fingerprint, 'a \ud83d b \udc00\0 c');
      expect(passages).to.have.length(1);
    });

    it('is embedded in parts that fit the model: nothing is truncated', async () => {
      // Every word of the tiny model is one token, and its limit is 64: one more word must change some vector.
      const { fingerprint } = await embedder.load(tiny.folder);
      const page = 'cat '.repeat(500);
      const before = await embedder.embedContent(fingerprint, page);
      const after = await embedder.embedContent(fingerprint, `${page}dog`);
      expect(before.every(({ start, end }) => (end - start + 1) / 4 <= 62)).to.equal(true);
      expect(cosine(before.at(-1)?.vector, after.at(-1)?.vector)).to.be.below(0.9999);
    });
  });
});
