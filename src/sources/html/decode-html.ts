import chardet from 'chardet';
import { Parser } from 'htmlparser2';
import { decodeAs, decodeText, type NotText } from '../../text/decode-text.js';

/** Bytes among which a page says its encoding; browsers look at 1,024, and Firefox at the whole head. */
const HEAD_BYTES = 16_384;
const MARKS = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;
const CHARSET = /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i;
const XML = /^\s{0,99}<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:.-]{1,40})["']/i;

/**
 * Decodes a page as browsers do: by its byte order mark, its header, its meta element, its XML declaration, as UTF-8;
 * else in what its bytes look like. What does not fit the bytes is passed by, so that no letter is lost.
 * @returns NotText where nothing fits
 */
export function decodeHtml(bytes: Buffer, contentType?: string): string | NotText {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const said = readHead(head);
  const written = [said.charset, XML.exec(head)?.[1]].map((label) =>
    // What could be read so far is not UTF-16 (HTML, "prescan a byte stream").
    /^utf-?16/i.test(label ?? '') ? 'utf-8' : label,
  );
  const wide = head.startsWith('<\0') ? 'utf-16le' : head.startsWith('\0<') ? 'utf-16be' : undefined;
  for (const label of [
    MARKS.find(([mark]) => head.startsWith(mark))?.[1],
    CHARSET.exec(contentType ?? '')?.[1],
    wide,
    ...written,
    'utf-8',
  ]) {
    const text = label === undefined ? undefined : decodeAs(bytes, label);
    if (text !== undefined) return text;
  }
  return decodeUnnamed(bytes, said.language) ?? decodeText(bytes);
}

/** Of elements only: comments and scripts may hold anything, and the `charset` of a script or link is that file's. */
function readHead(head: string): { charset: string | undefined; language: string | undefined } {
  let charset: string | undefined;
  let language: string | undefined;
  const parser = new Parser({
    onopentag(name, { charset: own, 'http-equiv': equivalent = '', content = '', lang }) {
      if (name === 'html') language ??= lang;
      if (name !== 'meta') return;
      charset ??= own ?? (/^\s*content-type\s*$/i.test(equivalent) ? CHARSET.exec(content)?.[1] : undefined);
    },
  });
  parser.end(head);
  return { charset: charset?.trim(), language };
}

/**
 * What browsers of a language take pages for that say nothing (HTML, "determining the character encoding"), where that
 * is one encoding alone. A few sentences are too few for the detector to tell these apart, or it does not know them.
 */
const BY_LANGUAGE: Record<string, string> = {
  ...Object.fromEntries(['cs', 'hu', 'pl', 'sk', 'sl', 'hr', 'ro'].map((one) => [one, 'windows-1250'])),
  ...Object.fromEntries(['et', 'lt', 'lv'].map((one) => [one, 'windows-1257'])),
  el: 'windows-1253',
  tr: 'windows-1254',
  he: 'windows-1255',
  ar: 'windows-1256',
  fa: 'windows-1256',
  th: 'windows-874',
  vi: 'windows-1258',
};
const UTF8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;
/** Of the text from its first letter beyond ASCII on, tags left out: these are enough to tell its encoding. */
const DETECTED_BYTES = 65_536;

/** A page that names no encoding and is not UTF-8, in the one that it is most likely in; undefined where none fits. */
function decodeUnnamed(bytes: Buffer, language = ''): string | undefined {
  const latin = bytes.toString('latin1');
  const foreign = latin.match(/[\x80-\xff]/g)?.length ?? 0;
  // UTF-8 with a character that was cut, which would be garbled in any other encoding.
  if ((latin.match(UTF8)?.join('').length ?? 0) > foreign / 2) return undefined;
  const text = latin.replace(/<[^<>]*>/g, '');
  const from = Math.max(0, text.search(/[\x80-\xff]/));
  const detected = chardet.detect(Buffer.from(text.slice(from, from + DETECTED_BYTES), 'latin1'));
  const own = BY_LANGUAGE[language.toLowerCase().split(/[-_]/, 1)[0] ?? ''];
  return [own, detected]
    .map((label) => (label ? decodeAs(bytes, label) : undefined))
    .find((decoded) => decoded !== undefined && !/[\x80-\x9f\ue000-\uf8ff]/.test(decoded));
}
