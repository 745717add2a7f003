import { parseJson } from '../../base/json.js';
import { parseUrl } from '../../text/parse-url.js';
import { splitLines } from '../../text/read-lines.js';
import type { SourceItem, SourcePage } from '../source.js';

/** A million characters of content may be escaped, each with six; and the metadata. */
const MAX_LINE = 8_000_000;

/**
 * Pages as JSON lines, `{url, title, content, metadata}` as in an upsert. A title or metadata that a row does not have
 * is none.
 *
 * @param name of the file, for messages
 * @param base what a relative url is resolved against
 */
export async function* readJsonLines(
  chunks: AsyncIterable<string>,
  name: string,
  base: string | undefined,
): AsyncGenerator<SourceItem> {
  let line = 0;
  for await (const text of splitLines(chunks, MAX_LINE)) {
    line++;
    const where = `${name}:${line}`;
    if (text.trim() === '') continue;
    const row = text.length > MAX_LINE ? `longer than ${MAX_LINE} characters` : parseRow(text);
    if (typeof row === 'string') {
      yield { kind: 'refused', where, reason: row };
      continue;
    }
    row['title'] ??= null;
    row['metadata'] ??= {};
    if (base !== undefined && typeof row['url'] === 'string')
      row['url'] = parseUrl(row['url'], base)?.href ?? row['url'];
    // The sync checks every field.
    yield { kind: 'page', page: row as unknown as SourcePage, where };
  }
}

/** The row, or what is wrong with it. */
function parseRow(text: string): Record<string, unknown> | string {
  try {
    const row = parseJson(text.replace(/^\uFEFF/, ''));
    return typeof row === 'object' && row !== null && !Array.isArray(row)
      ? (row as Record<string, unknown>)
      : 'not a JSON object';
  } catch {
    return 'not valid JSON';
  }
}
