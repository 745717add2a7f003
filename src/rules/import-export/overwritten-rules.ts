import type { ReportedLine } from './redirect-report.js';
import type { Says } from '../../rule-formats/read-redirect.js';

/** Rules that are remembered, some 60 MB. An export takes half as many. */
const MAX_REMEMBERED = 200_000;

interface Said {
  line: number;
  text: string;
  meaning: Meaning;
}

interface Meaning {
  action: string;
  /** null: the project's own. */
  host: string | null;
  path: string;
}

/**
 * Finds rules of one file of which the later one takes the place of the earlier, and says something else: paths that
 * differ in case, extension or separators are one. Of a longer file, the last {@link MAX_REMEMBERED} are compared.
 */
export class OverwrittenRules {
  readonly #said = new Map<string, Said>();
  readonly #found: ReportedLine[];

  /** @param found takes the earlier rules */
  constructor(found: ReportedLine[]) {
    this.#found = found;
  }

  /**
   * @param from the old path as it was written, where it has a host
   * @returns whether the earlier rule of this path, if there is one, says the same
   */
  add(key: string, line: number, says: Says, from?: string): boolean {
    const now = { line, text: textOf(says, from), meaning: meaningOf(says) };
    const before = this.#said.get(key);
    // The last one is the youngest.
    this.#said.delete(key);
    this.#said.set(key, now);
    if (this.#said.size > MAX_REMEMBERED) this.#said.delete(this.#said.keys().next().value ?? '');
    if (!before || isSame(before.meaning, now.meaning)) return true;
    this.#found.push({
      line: before.line,
      reason: `${before.text} is overwritten by ${line === 0 ? '' : `line ${line}, `}${now.text}: paths that differ only in host, case, extension or separators are one, and have one rule`,
    });
    return false;
  }
}

function meaningOf(says: Says): Meaning {
  if ('gonePath' in says) return { action: 'gone', host: null, path: '' };
  if ('barePath' in says) return { action: says.action, host: null, path: '' };
  const { target } = says;
  const action = 'keepsRest' in says && says.keepsRest ? 'keep the rest' : 'redirect';
  return { action, host: 'host' in target ? target.host : null, path: target.path.replace(/(?<=.)\/$/, '') };
}

/** An address without a host is one of the project's, as the other may be. */
function isSame(a: Meaning, b: Meaning): boolean {
  return a.action === b.action && a.path === b.path && (a.host === null || b.host === null || a.host === b.host);
}

function textOf(says: Says, from?: string): string {
  if ('gonePath' in says) return `${from ?? says.gonePath} (gone)`;
  if ('barePath' in says)
    return `${from ?? says.barePath}${says.below ? '*' : ''} (${says.action === 'gone' ? 'gone' : 'ignored'})`;
  const { oldPath, target } = says;
  const isWildcard = 'keepsRest' in says;
  const to = 'href' in target ? target.written : target.path;
  return `${from ?? oldPath}${isWildcard ? '*' : ''} to ${to}${isWildcard && says.keepsRest ? ':splat' : ''}`;
}
