import { OperatorError } from '../../base/errors.js';
import { formatSource, parseSource } from '../../rule-formats/read/source-address.js';
import { AccessLog } from '../../text/access-logs/access-log.js';
import { MAX_LINE_BYTES } from '../../text/access-logs/log-lines.js';
import { looksLikeProbe } from '../../text/paths/dead-path.js';
import { dropTracking } from '../../text/paths/plain-path.js';
import type { NoOldUrl, OldUrl } from '../source.js';

/** Bound on memory: all paths are held for counting. */
const MAX_PATHS = 100_000;
const MAX_PATH_CHARACTERS = 2_048;

/** Counts the missing paths (404) of a log without probes and files, which would rank above what people requested. */
export class LoggedPaths {
  readonly #name: string;
  readonly #log = new AccessLog();
  readonly #paths = new Map<string, { line: number; hits: number }>();
  #noPages = 0;
  #firstNoPage: { line: number; path: string } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** @returns why the line cannot be read. @throws OperatorError beyond {@link MAX_PATHS} */
  push(text: string, line: number): NoOldUrl | undefined {
    if (text.length > MAX_LINE_BYTES) return { line, reason: `longer than ${MAX_LINE_BYTES} characters` };
    const read = this.#log.push(text);
    if (!read) return undefined;
    if ('refused' in read) return { line, reason: read.refused };
    if (read.status !== 404 || (read.method !== 'GET' && read.method !== 'HEAD')) return undefined;
    const source = parseSource(dropTracking(read.path));
    const path = source && formatSource(source);
    if (path === undefined || path.length > MAX_PATH_CHARACTERS)
      return { line, reason: `no path of at most ${MAX_PATH_CHARACTERS} characters: ${read.path.slice(0, 100)}` };
    if (looksLikeProbe(path)) {
      this.#noPages++;
      this.#firstNoPage ??= { line, path };
      return undefined;
    }
    const known = this.#paths.get(path);
    if (known) known.hits++;
    else this.#paths.set(path, { line, hits: 1 });
    if (this.#paths.size > MAX_PATHS)
      throw new OperatorError(`${this.#name} has more than ${MAX_PATHS} missing paths: split it.`);
    return undefined;
  }

  *end(): Generator<OldUrl | NoOldUrl> {
    for (const [old, { line, hits }] of this.#paths) yield { line, old, title: '', content: '', hits };
    if (this.#firstNoPage) {
      const { line, path } = this.#firstNoPage;
      yield {
        line,
        reason: `${this.#noPages} requests by scanners or for files that are no pages are left out, the first for ${path.slice(0, 100)}`,
      };
    }
  }
}
