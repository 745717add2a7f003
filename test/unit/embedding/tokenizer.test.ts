import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AutoTokenizer } from '@huggingface/transformers';
import { expect } from 'chai';
import { openTokenizer, readTokenizerFile } from '#src/embedding/tokenizer.js';
import { packageRoot } from '#src/base/package-root.js';
import { LEAST_MS, spent } from '../../support/growth.js';

const TEXTS = [
  '',
  'A short sentence, (with punctuation): done.',
  'Ünïcödé ΣΊΣΥΦΟΣ\u000bglued\u00a0blank\u200bzw \ud800 lone',
  'marks [CLS] inside[SEP]words x[MASK], [UNK',
  '中文说明 使用说明。 가나다 ไทยภาษา e-mail@site.example 3.14',
  'Datenschutzerklärung på norsk, パスワードを忘れた場合 constructor __proto__ toString',
  '𠀋 " \\ ##a [PAD]',
  'donaudampfschifffahrtsgesellschaftskapitän qzxvkjw'.repeat(2).slice(0, 96),
  'Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA 가나다라마바사아자차카타파하 𠀋𠀋𠀋a',
  'a'.repeat(100),
  'a'.repeat(101),
];
const folderOf = (name: string): string => join(packageRoot(), 'models', name);

for (const name of ['pathmend-static-v2', 'pathmend-english-v1', 'pathmend-multilingual-v1'])
  describe(`the tokenizer of ${name}`, () => {
    const folder = folderOf(name);

    it('is that of transformers.js, without transformers.js', async () => {
      const read = await readTokenizerFile(folder);
      const ours = await openTokenizer(folder, read);
      const theirs = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
      for (const text of TEXTS) {
        expect(ours.encode(text)).to.deep.equal(theirs.encode(text));
        const bare = { add_special_tokens: false };
        expect(ours.encode(text, bare)).to.deep.equal(theirs.encode(text, bare));
      }
      expect(ours.padding).to.equal(theirs.pad_token_id);
    });

    it('takes no longer for long words than for as many letters in short ones', async () => {
      const ours = await openTokenizer(folder, await readTokenizerFile(folder));
      const letters = Array.from({ length: 96_000 }, (_, at) => 'qxzjkvwaeiou'.charAt(((at * at) % 131) % 12)).join('');
      const work = (length: number): number => {
        const words = (letters.match(new RegExp(`.{${length}}`, 'g')) ?? []).join(' ');
        return Math.min(
          ...Array.from({ length: 5 }, () => {
            const before = spent();
            ours.encode(words, { add_special_tokens: false });
            return spent() - before;
          }),
        );
      };
      // Where every end of every part is tried, the work grows with the cube of a word.
      expect(work(96)).to.be.at.most(5 * Math.max(LEAST_MS, work(12)));
    });

    it('has each token of its file, and no other', async () => {
      const { vocabulary, file, scores } = await readTokenizerFile(folder);
      const { vocab, ...model } = (
        JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as {
          model: { vocab: Record<string, number> | [string, number][] };
        }
      ).model;
      expect(file.model).to.deep.equal({ ...model, vocab: Array.isArray(vocab) ? [] : {} });
      const all = new Map(
        Array.isArray(vocab) ? vocab.map(([text], id): [string, number] => [text, id]) : Object.entries(vocab),
      );
      expect([...all].filter(([text, id]) => vocabulary?.get(text) !== id)).to.deep.equal([]);
      if (Array.isArray(vocab)) expect(scores).to.deep.equal(Float32Array.from(vocab, ([, score]) => score));
      for (const text of ['', 'no such token', '##', 'constructor', '__proto__'])
        expect(vocabulary?.has(text), text).to.equal(all.has(text));
    });
  });

describe('tokenizer.json', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-tokenizer-'));
  });
  after(() => rm(folder, { recursive: true }));

  const read = async (text: string) => {
    await writeFile(join(folder, 'tokenizer.json'), text);
    return readTokenizerFile(folder);
  };

  it('is read with blanks between, escapes in texts, and what looks like a vocabulary inside a text', async () => {
    const tokens = { '"vocab": {': 0, 'a"b\\': 1, '\u00fc\n': 2, '}': 3, ',': 4, a: 5 };
    const json = JSON.stringify(
      { added_tokens: [{ id: 7, content: '"vocab": {' }], model: { type: 'WordPiece', vocab: tokens, after: 1 } },
      null,
      2,
    );
    for (const text of [json, json.replaceAll('\u00fc', '\\u00fc')]) {
      const all = await read(text);
      for (const [token, id] of Object.entries(tokens)) expect(all.vocabulary?.get(token), token).to.equal(id);
      expect(all.file).to.deep.equal({
        added_tokens: [{ id: 7, content: '"vocab": {' }],
        model: { type: 'WordPiece', vocab: {}, after: 1 },
      });
    }
  });

  it('is refused when a token has no whole number', async () => {
    for (const vocab of ['{"a": 1.5}', '{"a": "b"}', '{"a": 1, "b": {}}', '{"a": 1'])
      expect(await read(`{"model": {"vocab": ${vocab}}}`).catch((error: unknown) => error), vocab).to.be.instanceOf(
        SyntaxError,
      );
  });

  it('of a Unigram model has its pieces in order, with their scores', async () => {
    const all = await read('{"model": {"type": "Unigram", "vocab": [["a", -1], [ "b\\n" , -2.5e-1 ]\n], "after": 1}}');
    expect([all.vocabulary?.get('a'), all.vocabulary?.get('b\n')]).to.deep.equal([0, 1]);
    expect(all.scores).to.deep.equal(Float32Array.of(-1, -0.25));
    expect(all.file.model).to.deep.equal({ type: 'Unigram', vocab: [], after: 1 });
    const refused = await read('{"model": {"vocab": [["a", -1], ["b"]]}}').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SyntaxError);
  });
});
