import { join } from 'node:path';
import { AutoTokenizer } from '@huggingface/transformers';
import { expect } from 'chai';
import { openTokenizer, readTokenizerFile } from '#src/embedding/tokenizer.js';
import { packageRoot } from '#src/package-root.js';

const TEXTS = [
  '',
  'A short sentence, (with punctuation): done.',
  'Ünïcödé ΣΊΣΥΦΟΣ\u000bglued\u00a0blank\u200bzw \ud800 lone',
  'marks [CLS] inside[SEP]words x[MASK], [UNK',
  '中文说明 使用说明。 가나다 ไทยภาษา e-mail@site.example 3.14',
];

describe('the tokenizer of the bundled model', () => {
  const folder = join(packageRoot(), 'models', 'pathmend-static-v1');

  it('is that of transformers.js, without transformers.js', async () => {
    const ours = await openTokenizer(folder, await readTokenizerFile(folder));
    const theirs = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
    for (const text of TEXTS) {
      expect(ours.encode(text)).to.deep.equal(theirs.encode(text));
      const bare = { add_special_tokens: false };
      expect(ours.encode(text, bare)).to.deep.equal(theirs.encode(text, bare));
    }
    expect(ours.padding).to.equal(theirs.pad_token_id);
  });
});
