import { join } from 'node:path';
import { AutoTokenizer } from '@huggingface/transformers';
import { expect } from 'chai';
import { cacheWordTokens } from '#src/embedding/word-tokens.js';
import { readTokenizerFile } from '#src/embedding/tokenizer.js';
import { packageRoot } from '#src/base/package-root.js';

const TEXTS = [
  'A short sentence, (with punctuation): done. And once more: a short sentence!',
  'Ünïcödé e\u0301 ΣΊΣΥΦΟΣ ΣΑΣ\u000bglued\u00a0blank\u2028line ls\u200bzw \ud800 lone',
  'marks [CLS] inside[SEP]words x[MASK], [UNK',
  '中文说明 使用说明。第二句！ 가나다 한글 ไทยภาษา',
  'Grüße aus Ålesund: où êtes-vous? ¿Dónde está? ﬁne Ｆｕｌｌ ½ ™ ¨x a<s>b<mask>',
  'パスワードを忘れた場合はこちらから再設定してください。ご利用ガイド',
  '\ttabs\r\nand lines\n\n e-mail@site.example C++ a_b 3.14 100%',
];

describe('remembered words', () => {
  for (const name of ['pathmend-static-v2', 'pathmend-english-v1', 'pathmend-multilingual-v1'])
    it(`give the tokens that the tokenizer of ${name} gives for the whole text, first and again`, async () => {
      const folder = join(packageRoot(), 'models', name);
      const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
      const words = cacheWordTokens((await readTokenizerFile(folder)).file, tokenizer);
      for (const text of [...TEXTS, ...TEXTS]) {
        expect(words.tokenize(text)).to.deep.equal(tokenizer.encode(text, { add_special_tokens: false }));
      }
    });
});
