import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deriveManifest, knownPrefixes } from '#src/embedding/derive-manifest.js';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { hashFile } from '#src/embedding/model-manifest.js';
import { buildTinyModel, type TinyModelOptions } from '../../support/tiny-model.js';
import { rejection } from './rejection.js';

const folders: string[] = [];

async function folderOf(options: TinyModelOptions = {}): Promise<string> {
  const { folder } = await buildTinyModel(options);
  folders.push(folder);
  return folder;
}

describe('a model without a manifest of ours', () => {
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it("gets one from its files: mean pooling, the tokenizer's limit and the files' hashes", async () => {
    const folder = await folderOf();
    const manifest = await deriveManifest(folder, 'plain');
    expect(manifest).to.include({ id: 'plain', pooling: 'mean', normalize: true, calibration: null });
    expect(manifest).to.include({ maximumTokens: 64, dtype: 'fp32' });
    expect(manifest.prefixes).to.deep.equal({ query: '', passage: '' });
    expect(manifest.files).to.have.all.keys(
      'onnx/model.onnx',
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    );
    expect(manifest.files['tokenizer.json']).to.equal(await hashFile(join(folder, 'tokenizer.json')));
  });

  it('takes pooling, prompts and the limit from the files of sentence-transformers', async () => {
    const manifest = await deriveManifest(
      await folderOf({
        files: {
          '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
          'config_sentence_transformers.json': { prompts: { query: 'ask: ', document: 'text: ' } },
          'sentence_bert_config.json': { max_seq_length: 32, do_lower_case: false },
        },
      }),
      'with-files',
    );
    expect(manifest).to.include({ pooling: 'cls', maximumTokens: 32 });
    expect(manifest.prefixes).to.deep.equal({ query: 'ask: ', passage: 'text: ' });
  });

  it('caps the limit at 512 tokens where the tokenizer knows none', async () => {
    const files = { 'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: 1e30 } };
    expect(await deriveManifest(await folderOf({ files }), 'x')).to.have.property('maximumTokens', 512);
  });

  it('takes the kind of weights from the file that is there', async () => {
    const folder = await folderOf({ onnxFile: 'model_quantized.onnx' });
    expect(await deriveManifest(folder, 'x')).to.have.property('dtype', 'q8');
  });

  it('is refused where it pools in a way that we do not', async () => {
    const files = { '1_Pooling/config.json': { pooling_mode_lasttoken: true } };
    const error = await rejection(deriveManifest(await folderOf({ files }), 'x'), ModelUnavailable);
    expect(error.message).to.match(/1_Pooling.*pooling_mode_lasttoken/);
  });

  it('is refused where files are missing, and told which', async () => {
    const folder = await folderOf({ onnxFile: 'decoder.onnx' });
    await rm(join(folder, 'tokenizer.json'));
    const error = await rejection(deriveManifest(folder, 'x'), ModelUnavailable);
    expect(error.message).to.match(/lacks tokenizer\.json, onnx\/model\.onnx/);
  });

  it('gets the prefixes that its family is known to want', () => {
    expect(knownPrefixes('Xenova/multilingual-e5-small')).to.deep.equal({ query: 'query: ', passage: 'passage: ' });
    expect(knownPrefixes('e5-base-v2').query).to.equal('query: ');
    expect(knownPrefixes('Xenova/bge-small-en-v1.5').query).to.match(/^Represent this sentence for searching .*: $/);
    expect(knownPrefixes('Xenova/bge-small-en-v1.5').passage).to.equal('');
    for (const other of ['Xenova/bge-m3', 'Xenova/all-MiniLM-L6-v2', 'me5-ish', 'intfloat/e5-mistral-7b-instruct']) {
      expect(knownPrefixes(other), other).to.deep.equal({ query: '', passage: '' });
    }
  });
});
