import { decodeAs } from '../../text/decode-text.js';

/** What browsers of a language take pages for that say nothing (HTML, "determining the character encoding"). */
const BY_LANGUAGE: Record<string, readonly string[]> = {
  ja: ['shift_jis', 'euc-jp'],
  zh: ['gb18030', 'big5'],
  ko: ['euc-kr'],
  ...Object.fromEntries(['ru', 'uk', 'bg', 'be', 'mk', 'sr'].map((one) => [one, ['windows-1251', 'koi8-r']])),
  ...Object.fromEntries(['cs', 'hu', 'pl', 'sk', 'sl', 'hr', 'ro'].map((one) => [one, ['windows-1250']])),
  ...Object.fromEntries(['et', 'lt', 'lv'].map((one) => [one, ['windows-1257']])),
  el: ['windows-1253'],
  tr: ['windows-1254'],
  he: ['windows-1255'],
  ar: ['windows-1256'],
  fa: ['windows-1256'],
  th: ['windows-874'],
  vi: ['windows-1258'],
};
const OTHERS = ['windows-1252', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'windows-1251', 'koi8-r'];

/** Characters that are in most texts of their script, and that bytes in another encoding hardly ever become. */
const COMMON: Record<string, RegExp> = {
  shift_jis: /[\u3041-\u3096\u30a1-\u30fc]/g,
  'euc-jp': /[\u3041-\u3096\u30a1-\u30fc]/g,
  gb18030: /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年]/g,
  big5: /[的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年]/g,
  'euc-kr': /[이다는을를에의가은하고한지로도서사기니습]/g,
  'windows-1251': /(?<=[А-Яа-яё])[а-яё]/g,
  'koi8-r': /(?<=[А-Яа-яё])[а-яё]/g,
};
/** Of the characters beyond ASCII. Kana are a third of Japanese at least, the commonest signs a fifth of Chinese. */
const MIN_SHARE: Record<string, number> = { gb18030: 0.08, big5: 0.08, 'windows-1251': 0.6, 'koi8-r': 0.6 };
const UTF8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/**
 * The encoding that a page is most likely in which names none and is not UTF-8; undefined where none is likely. A
 * library that detects more weighs as much as the parser of HTML; this is for the few pages that say nothing at all.
 */
export function detectEncoding(bytes: Buffer, language: string | undefined): string | undefined {
  const latin = bytes.toString('latin1');
  const foreign = latin.match(/[\x80-\xff]/g)?.length ?? 0;
  // UTF-8 with a character that was cut, which would be garbled in any other encoding.
  if ((latin.match(UTF8)?.join('').length ?? 0) > foreign / 2) return undefined;
  const named = BY_LANGUAGE[language?.toLowerCase().split(/[-_]/, 1)[0] ?? ''] ?? [];
  return best(named, bytes, 0) ?? best(OTHERS, bytes, 0.5);
}

function best(labels: readonly string[], bytes: Buffer, min: number): string | undefined {
  const rated = labels.flatMap((label) => {
    const share = rate(bytes, label);
    return share === undefined || share < min ? [] : [{ label, share }];
  });
  return rated.sort((one, other) => other.share - one.share)[0]?.label;
}

/** How much of what is not ASCII looks like text, from 0 to 1; undefined if it is none. */
function rate(bytes: Buffer, label: string): number | undefined {
  const text = decodeAs(bytes, label);
  if (text === undefined || /[\x80-\x9f\ue000-\uf8ff]/.test(text)) return undefined;
  const foreign = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const common = COMMON[label];
  if (common) {
    const share = (text.match(common)?.length ?? 0) / foreign;
    return share < (MIN_SHARE[label] ?? 0.2) ? undefined : 0.5 + share / 2;
  }
  // Letters with accents stand within words, among many that have none.
  const accented = text.match(/(?<=[a-z])[^\0-\x7f]|[^\0-\x7f](?=[a-z])|[«»“”„‘’–—…€£©®°§\u00a0]/gi)?.length ?? 0;
  const letters = text.match(/[a-z]/gi)?.length ?? 0;
  return foreign < letters / 3 ? accented / foreign : 0;
}
