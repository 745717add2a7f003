import { expect } from 'chai';
import { NotText } from '#src/text/decode-text.js';
import { casesOf } from '../../cases.js';
import { decodeHtml } from '#src/sources/html/decode-html.js';

const WORDS = 'Größe und Gewicht';
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const page = (head: string, language = 'de'): string =>
  `<!doctype html><html lang=${language}><head>${head}<title>x</title></head><body><p>${WORDS}</p></body></html>`;

/** Encoding and language, a text, and its bytes in hexadecimal. */
const TEXTS = casesOf(String.raw`
  shift_jis ja => 日本語のページです。図書館は月曜日に開きます。カードはそのまま使えます。 => 93fa967b8cea82cc8379815b835782c582b78142907d8f918ad982cd8c8e976a93fa82c98a4a82ab82dc82b78142834a815b836882cd82bb82cc82dc82dc8e6782a682dc82b78142
  euc_jp ja => 日本語のページです。図書館は月曜日に開きます。カードはそのまま使えます。 => c6fccbdcb8eca4cea5daa1bca5b8a4c7a4b9a1a3bfdebdf1b4dba4cfb7eecdcbc6fca4cbb3aba4ada4dea4b9a1a3a5aba1bca5c9a4cfa4bda4cea4dea4debbc8a4a8a4dea4b9a1a3
  gb18030 zh => 图书馆已经搬到了新的地方，我们在星期一开门，你可以来看书。这是一个很大的图书馆，有很多的书。 => cdbccae9b9ddd2d1beadb0e1b5bdc1cbd0c2b5c4b5d8b7bda3acced2c3c7d4dad0c7c6dad2bbbfaac3c5a3acc4e3bfc9d2d4c0b4bfb4cae9a1a3d5e2cac7d2bbb8f6badcb4f3b5c4cdbccae9b9dda3acd3d0badcb6e0b5c4cae9a1a3
  big5 tw => 圖書館已經搬到了新的地方，我們在星期一開門，你可以來看書。這是一個很大的圖書館，有很多的書。 => b9cfaed1c05da477b867b768a8eca446b773aabaa661a4e8a141a7daadcca662ac50b4c1a440b67daaf9a141a741a569a548a8d3acddaed1a143b36fac4fa440add3abdca46aaabab9cfaed1c05da141a6b3abdca668aabaaed1a143
  euc_kr ko => 도서관이 새로운 곳으로 옮겼습니다. 월요일 아홉 시에 문을 엽니다. => b5b5bcadb0fcc0cc20bbf5b7cebfee20b0f7c0b8b7ce20bfc5b0e5bdc0b4cfb4d92e20bff9bfe4c0cf20bec6c8a920bdc3bfa120b9aec0bb20bfb1b4cfb4d92e
  cp1251 ru => Библиотека переехала в новое здание. Читальный зал откроется в понедельник. => c1e8e1ebe8eef2e5eae020efe5f0e5e5f5e0ebe020e220edeee2eee520e7e4e0ede8e52e20d7e8f2e0ebfcedfbe920e7e0eb20eef2eaf0eee5f2f1ff20e220efeeede5e4e5ebfcede8ea2e
  koi8_r ru => Библиотека переехала в новое здание. Читальный зал откроется в понедельник. => e2c9c2ccc9cfd4c5cbc120d0c5d2c5c5c8c1ccc120d720cecfd7cfc520dac4c1cec9c52e20fec9d4c1ccd8ced9ca20dac1cc20cfd4cbd2cfc5d4d3d120d720d0cfcec5c4c5ccd8cec9cb2e
  cp1250 pl => Biblioteka przeniosła się do młyna. Źródła, książki i żółte półki są na miejscu. => 4269626c696f74656b612070727a656e696f73b361207369ea20646f206db3796e612e208f72f364b3612c206b7369b9bf6b69206920bff3b374652070f3b36b692073b9206e61206d69656a7363752e
  cp1252 de => Die Größe der Tasche zählt, und für zwei Kronen kommt sie „bis vor die Tür“ – schön. => 446965204772f6df652064657220546173636865207ae4686c742c20756e642066fc72207a776569204b726f6e656e206b6f6d6d7420736965208462697320766f72206469652054fc7293209620736368f66e2e
  cp1253 el => Η βιβλιοθήκη μετακόμισε στον παλιό μύλο. => c720e2e9e2ebe9efe8deeae720ece5f4e1eafcece9f3e520f3f4efed20f0e1ebe9fc20ecfdebef2e
`).map(({ what, text, rules: [hex = ''] }) => {
  const [encoding = '', language = ''] = what.split(' ');
  return { encoding, language, text, hex };
});

describe('the encoding of a page', () => {
  const declarations: Record<string, [bytes: Buffer, contentType?: string]> = {
    'its meta element': [latin(page('<meta charset="iso-8859-1">'))],
    'its meta element, behind a script that names its own': [
      latin(
        page(
          '<script charset="utf-8" src=x.js></script><meta http-equiv=Content-Type content="text/html; charset=ISO-8859-1">',
        ),
      ),
    ],
    'its meta element, behind a comment': [latin(page('<!-- charset=utf-8 --><meta charset=iso-8859-1>'))],
    'its meta element, behind a link': [latin(page('<link charset=utf-8 href=a.css><meta charset=latin1>'))],
    'its meta element, behind a script that holds one': [
      latin(page('<script>s = \'<meta charset="utf-8">\'</script><meta charset=iso-8859-1>')),
    ],
    'its meta element, behind another that is none': [
      latin(page('<meta name=description content="charset=utf-8"><meta charset=iso-8859-1>')),
    ],
    'its meta element, 5,000 bytes on': [latin(page(`<style>${'a{}'.repeat(1_700)}</style><meta charset=iso-8859-1>`))],
    'its XML declaration': [latin(`<?xml version="1.0" encoding="iso-8859-1"?>${page('')}`)],
    'its header': [latin(page('')), 'text/html; charset="ISO-8859-1"'],
    'its header, not its meta element': [Buffer.from(page('<meta charset=shift_jis>')), 'text/html; charset=utf-8'],
    'its meta element, where the header cannot be true': [
      latin(page('<meta charset=iso-8859-1>')),
      'text/html;charset=utf-8',
    ],
    'its meta element, where nobody knows what the header says': [
      latin(page('<meta charset=latin1>')),
      'text/html;charset=x',
    ],
    'its byte order mark, not its header': [Buffer.from(`\uFEFF${page('')}`), 'text/html; charset=iso-8859-1'],
    'its byte order mark, of UTF-16': [Buffer.from(`\uFEFF${page('<meta charset=utf-8>')}`, 'utf16le')],
    'the zeros of UTF-16': [Buffer.from(page(''), 'utf16le').swap16()],
    'nothing, where it is UTF-8': [Buffer.from(page(''))],
    'nothing, where it says UTF-16 and is UTF-8': [Buffer.from(page('<meta charset=utf-16>'))],
    'nothing that is true, where it looks Western': [latin(page('<meta charset=utf-8>'))],
  };
  for (const [what, [bytes, contentType]] of Object.entries(declarations))
    it(`is what is said by ${what}`, () => {
      expect(decodeHtml(bytes, contentType)).to.contain(WORDS).and.not.contain('\uFFFD');
    });

  it('has the quotes and the euro of windows-1252 where it says ISO-8859-1, as browsers read it', () => {
    expect(decodeHtml(latin(page('<meta charset=iso-8859-1>') + '\x80\x93x\x94'))).to.contain('€“x”');
  });

  for (const { encoding, language, text, hex } of TEXTS)
    it(`that nobody names is seen by the language and the bytes: ${encoding} of ${language}`, () => {
      const bytes = Buffer.concat([
        Buffer.from(`<html lang=${language.replace('tw', 'zh-Hant')}><p>`),
        Buffer.from(hex, 'hex'),
      ]);
      expect(decodeHtml(bytes)).to.contain(text);
    });

  for (const { encoding, language, text, hex } of TEXTS.filter((sample) => !['pl', 'el'].includes(sample.language)))
    it(`that nobody names is seen by the bytes alone: ${encoding} of ${language}`, () => {
      expect(decodeHtml(Buffer.concat([Buffer.from('<html><p>'), Buffer.from(hex, 'hex')]))).to.contain(text);
    });

  it('that is none is named with the place where it stops being UTF-8', () => {
    const cut = Buffer.concat([Buffer.from(page('')), Buffer.from([0xc3]), Buffer.from('x')]);
    expect(String(decodeHtml(cut))).to.contain(`byte 0xC3 at offset ${Buffer.byteLength(page(''))}`);
    expect(decodeHtml(Buffer.from('<p>ab\x81\x8d\xff\xfe</p>', 'latin1'))).to.be.instanceOf(NotText);
  });
});
