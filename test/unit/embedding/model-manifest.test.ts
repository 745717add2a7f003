import { Ajv } from 'ajv';
import { expect } from 'chai';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { computeFingerprint, MANIFEST_SCHEMA, MODEL_FILES, parseManifest } from '#src/embedding/model-manifest.js';

const hash = 'ab'.repeat(32);
const valid = {
  id: 'm',
  description: '',
  licence: 'MIT',
  files: { 'onnx/model.onnx': hash, 'config.json': hash, 'tokenizer.json': hash, 'tokenizer_config.json': hash },
  dimensions: 256,
  pooling: 'mean',
  normalize: true,
  prefixes: { query: '', passage: '' },
  maximumTokens: 128,
  dtype: 'fp32',
  calibration: { anything: [1] },
};

const parse = (value: unknown) => parseManifest(JSON.stringify(value), '/models/m/manifest.json');

describe("a model's manifest", () => {
  it('has a schema that is one', () => {
    const ajv = new Ajv();
    expect(ajv.validateSchema(MANIFEST_SCHEMA), ajv.errorsText()).to.equal(true);
  });

  it('is taken as it is, calibration included', () => {
    expect(parse(valid)).to.deep.equal(valid);
    expect(parse({ ...valid, calibration: null, note: 'unknown fields are left alone' }).calibration).to.equal(null);
  });

  const refused: [string, unknown, RegExp][] = [
    ['a missing field', { ...valid, pooling: undefined }, /pooling/],
    ['an unknown pooling', { ...valid, pooling: 'median' }, /pooling .*mean, cls, max/],
    ['dimensions of no number', { ...valid, dimensions: '256' }, /dimensions must be integer/],
    ['no room for tokens', { ...valid, maximumTokens: 2 }, /maximumTokens must be >= 8/],
    ['a prefix that is missing', { ...valid, prefixes: { query: '' } }, /prefixes .*passage/],
    ['a hash of another kind', { ...valid, files: { ...valid.files, 'config.json': 'md5' } }, /files\/config.json/],
    ['a file outside the folder', { ...valid, files: { ...valid.files, '../../etc/x': hash } }, /\.\.\/etc\/x/],
    ['weights without a hash', { ...valid, dtype: 'q8' }, new RegExp(MODEL_FILES.q8)],
    ['a tokenizer without a hash', { ...valid, files: { 'onnx/model.onnx': hash } }, /tokenizer\.json/],
  ];
  for (const [what, value, message] of refused) {
    it(`is refused for ${what}, naming field and file`, () => {
      expect(() => parse(value)).to.throw(ModelUnavailable, message);
      expect(() => parse(value)).to.throw('/models/m/manifest.json');
    });
  }

  it('is refused when it is not JSON', () => {
    expect(() => parseManifest('{', 'x/manifest.json')).to.throw(ModelUnavailable, /x\/manifest\.json is not JSON/);
  });

  it('has a fingerprint that changes with whatever changes vectors, and with nothing else', () => {
    const manifest = parse(valid);
    const print = computeFingerprint(manifest);
    const files = Object.fromEntries(Object.entries(manifest.files).reverse());
    const same = { ...manifest, files, id: 'other', description: 'x', licence: 'x', calibration: null };
    expect(computeFingerprint(same)).to.equal(print);
    const changes = [
      { pooling: 'max' },
      { normalize: false },
      { maximumTokens: 64 },
      { prefixes: { query: 'q: ', passage: '' } },
      { prefixes: { query: '', passage: 'q: ' } },
      { files: { ...manifest.files, 'config.json': 'cd'.repeat(32) } },
    ] as const;
    const prints = changes.map((each) => computeFingerprint({ ...manifest, ...each }));
    expect(new Set([print, ...prints]).size).to.equal(changes.length + 1);
  });
});
