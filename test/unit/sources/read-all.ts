import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { openSource } from '#src/sources/open-source.js';
import { LeftOut, type SourceFormat, type SourceItem, type SourcePage } from '#src/sources/source.js';

/** Reads every item of a source, as the command does. */
export async function readAll(
  source: string,
  options: { format?: SourceFormat; base?: string; stdin?: string; leftOut?: LeftOut } = {},
): Promise<SourceItem[]> {
  const stdin = Readable.from([Buffer.from(options.stdin ?? '')]);
  const items: SourceItem[] = [];
  const web = { userAgent: 'pathmend/test', logger: createLogger('error', process.stderr) };
  const { leftOut = new LeftOut() } = options;
  for await (const item of await openSource({ ...options, leftOut, source, stdin, web })) items.push(item);
  return items;
}

export function pagesOf(items: readonly SourceItem[]): SourcePage[] {
  return items.flatMap((item) => (item.kind === 'page' ? [item.page] : []));
}

/** Lists the urls of pages, readable and in order. */
export function urlsOf(items: readonly SourceItem[]): string[] {
  return pagesOf(items)
    .map(({ url }) => decodeURI(url))
    .sort();
}

export function refusedOf(items: readonly SourceItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'refused' ? [`${item.where}: ${item.reason}`] : []));
}

/** Lists redirects as `old → new`, readable. */
export function redirectsOf(items: readonly SourceItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'redirect' ? [`${decodeURI(item.from)} → ${decodeURI(item.to)}`] : []));
}

/** Writes files by their paths below a folder. */
export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
