import chardet from 'chardet';
import { Parser } from 'htmlparser2';
import { decodeAs, decodeText, type NotText } from '../../text/decode-text.js';

/** Bytes searched for a declared encoding; browsers search 1,024, Firefox the whole head. */
const HEAD_BYTES = 16_384;
const MARKS = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;
const CHARSET = /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i;
const XML = /^\s{0,99}<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:.-]{1,40})["']/i;

/**
 * Decodes a page as browsers do: by byte order mark, header, meta element, XML declaration, as UTF-8, else by
 * detection. Skips encodings that do not fit the bytes, so that no letter is lost.
 * @returns NotText if none fits
 */
export function decodeHtml(bytes: Buffer, contentType?: string): string | NotText {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const { charset, language } = readHead(head);
  const written = [charset, XML.exec(head)?.[1]].map((label) =>
    // A declaration that is readable as ASCII is not UTF-16 (HTML, "prescan a byte stream").
    /^utf-?16/i.test(label ?? '') ? 'utf-8' : label,
  );
  const wide = head.startsWith('<\0') ? 'utf-16le' : head.startsWith('\0<') ? 'utf-16be' : undefined;
  const marked = MARKS.find(([mark]) => head.startsWith(mark))?.[1];
  const sent = CHARSET.exec(contentType ?? '')?.[1];
  for (const label of [marked, sent, wide, ...written, 'utf-8']) {
    const text = label === undefined ? undefined : decodeAs(bytes, label);
    if (text !== undefined) return text;
  }
  return decodeUndeclared(bytes, language) ?? decodeText(bytes);
}

/** Reads elements only: comments and scripts may contain anything, and `charset` of a script or link is that file's. */
function readHead(head: string): { charset: string | undefined; language: string | undefined } {
  let charset: string | undefined;
  let language: string | undefined;
  const parser = new Parser({
    onopentag(name, { charset: declared, 'http-equiv': equivalent = '', content = '', lang }) {
      if (name === 'html') language ??= lang;
      if (name !== 'meta') return;
      charset ??= declared ?? (/^\s*content-type\s*$/i.test(equivalent) ? CHARSET.exec(content)?.[1] : undefined);
    },
  });
  parser.end(head);
  return { charset: charset?.trim(), language };
}

/**
 * The default encodings by language (HTML, "determining the character encoding"), where a language has only one. The
 * detector does not know these encodings, or needs more than a few sentences for them.
 */
const BY_LANGUAGE: Record<string, string> = {
  ...Object.fromEntries(['cs', 'hu', 'pl', 'sk', 'sl', 'hr', 'ro'].map((language) => [language, 'windows-1250'])),
  ...Object.fromEntries(['et', 'lt', 'lv'].map((language) => [language, 'windows-1257'])),
  el: 'windows-1253',
  tr: 'windows-1254',
  he: 'windows-1255',
  ar: 'windows-1256',
  fa: 'windows-1256',
  th: 'windows-874',
  vi: 'windows-1258',
};
const UTF8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;
/** Bytes given to the detector, from the first one beyond ASCII, without tags. */
const DETECTED_BYTES = 65_536;

/** Decodes a page without a declared encoding by its language or by detection; undefined if none fits. */
function decodeUndeclared(bytes: Buffer, language = ''): string | undefined {
  const latin = bytes.toString('latin1');
  const foreign = latin.match(/[\x80-\xff]/g)?.length ?? 0;
  // This is UTF-8 with a truncated character, which any other encoding would garble.
  if ((latin.match(UTF8)?.join('').length ?? 0) > foreign / 2) return undefined;
  const text = latin.replace(/<[^<>]*>/g, '');
  const from = Math.max(0, text.search(/[\x80-\xff]/));
  const detected = chardet.detect(Buffer.from(text.slice(from, from + DETECTED_BYTES), 'latin1'));
  const byLanguage = BY_LANGUAGE[language.toLowerCase().split(/[-_]/, 1)[0] ?? ''];
  return [byLanguage, detected]
    .map((label) => (label ? decodeAs(bytes, label) : undefined))
    .find((decoded) => decoded !== undefined && !/[\x80-\x9f\ue000-\uf8ff]/.test(decoded));
}
