/** Entry of the thread that reads files of rules and writes rules of servers; rules-apart.ts starts it. */
import { serveApart } from '../../platform/serve-apart.js';
import type { LocatedRule } from '../../rule-formats/read/read-rule.js';
import { readRulesOf, type RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import type { ExportFormat } from '../../rule-formats/write/formats.js';
import { compileExport } from './compile-export.js';
import type { KnownRedirects } from './rules-for-servers.js';

export type RulesTask =
  { task: 'read'; file: string; format: RedirectFormat | undefined } | { task: 'write'; format: ExportFormat };

/** Rows of a project, many at a time: of one of the lists of its rules, or urls of its pages, which come last. */
export type RulesInput =
  | { [List in keyof KnownRedirects]: { list: List; rows: KnownRedirects[List] } }[keyof KnownRedirects]
  | { list: 'pages'; rows: string[] };

const BATCH = 500;

async function* readBatches(file: string, format: RedirectFormat | undefined): AsyncGenerator<LocatedRule[]> {
  let batch: LocatedRule[] = [];
  for await (const rule of readRulesOf(file, format, () => undefined)) {
    if (batch.push(rule) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function* writeText(format: ExportFormat, input: AsyncIterable<RulesInput>): AsyncGenerator<Uint8Array> {
  const found: KnownRedirects = {
    known: [],
    wildcards: [],
    patterns: [],
    gone: [],
    goneBelow: [],
    ignored: [],
    ends: [],
  };
  const given = input[Symbol.asyncIterator]();
  let next = await given.next();
  for (; next.done !== true && next.value.list !== 'pages'; next = await given.next()) {
    const list = found[next.value.list] as unknown[];
    for (const row of next.value.rows) list.push(row);
  }
  async function* pages(): AsyncGenerator<string> {
    for (; next.done !== true; next = await given.next()) if (next.value.list === 'pages') yield* next.value.rows;
  }
  const { text } = await compileExport(found, pages(), format);
  yield new TextEncoder().encode(text);
}

await serveApart<RulesInput>((data, input) => {
  const given = data as RulesTask;
  return given.task === 'read' ? readBatches(given.file, given.format) : writeText(given.format, input);
});
