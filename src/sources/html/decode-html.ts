import { Parser } from 'htmlparser2';
import { decodeAs, decodeText, type NotText } from '../../text/decode-text.js';
import { detectEncoding } from './detect-encoding.js';

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
  const detected = detectEncoding(bytes, said.language);
  return (detected === undefined ? undefined : decodeAs(bytes, detected)) ?? decodeText(bytes);
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
