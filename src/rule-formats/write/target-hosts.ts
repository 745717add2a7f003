import type { LintNote } from '../lint-redirects.js';
import { pathParts, splitTarget } from '../path-pattern.js';
import { prefixesOf } from './wildcards.js';
import { isRedirect, type AnyRule, type ExportRule } from './written-rule.js';

/** A new address without a host, and by host the origins of the pages that it may mean. */
interface OpenTarget {
  /** The address up to the first part that the old path decides. */
  beginning: string;
  isOne: boolean;
  origins: Map<string, string>;
}

/**
 * Finds the hosts of wildcards and patterns whose new address names none: when pathmend answers, it is the host of the
 * page there.
 */
export class TargetHosts {
  readonly #byAddress = new Map<string, OpenTarget>();
  readonly #byFolder = new Map<string, OpenTarget[]>();
  readonly #origins = new Map<string, string>();

  constructor(rules: Iterable<AnyRule>) {
    for (const rule of rules) {
      if (!isRedirect(rule) || !rule.to.startsWith('/') || this.#byAddress.has(rule.to)) continue;
      const [text = '', ...names] = rule.pattern ? splitTarget(rule.to) : [rule.to];
      const isOne = rule.rest !== 'kept' && (names.length === 0 || /[?#]/.test(text));
      const beginning = isOne ? plain(text).replace(/(?<=.)\/$/, '') : plain(text);
      const target = { beginning, isOne, origins: new Map<string, string>() };
      const folder = beginning.slice(0, beginning.lastIndexOf('/') + 1);
      this.#byAddress.set(rule.to, target);
      this.#byFolder.set(folder, [...(this.#byFolder.get(folder) ?? []), target]);
    }
  }

  get hosts(): ReadonlySet<string> {
    return new Set(this.#origins.keys());
  }

  addPage({ host, origin }: URL, written: string): void {
    if (origin < (this.#origins.get(host) ?? '~')) this.#origins.set(host, origin);
    const path = this.#byFolder.size === 0 ? '/' : plain(written);
    for (const folder of ['/', ...prefixesOf(path)])
      for (const { beginning, isOne, origins } of this.#byFolder.get(folder) ?? []) {
        // A page is found with or without its slash and extension.
        const end = path.startsWith(beginning) ? path.slice(beginning.length) : undefined;
        if (end !== undefined && (!isOne || /^(?:\.[a-z0-9]+)?\/?$/.test(end))) origins.set(host, origin);
      }
  }

  /** Tells where a rule leads; or why that is unknown. */
  originOf({ to }: ExportRule): { origin: string } | Pick<LintNote, 'kind' | 'detail'> {
    if (this.#origins.size === 0) return { kind: 'dead target', detail: 'the project has no page' };
    const known = this.#origins.size > 1 ? this.#byAddress.get(to)?.origins : undefined;
    const all = [...(known ?? this.#origins).values()];
    if (all.length === 1) return { origin: all[0] ?? '' };
    const where = all.length === 0 ? 'on none of its hosts' : `on ${all.join(' and ')}`;
    return { kind: 'several hosts', detail: `pages at ${to} are ${where}: name one in the new address` };
  }
}

const plain = (path: string): string => `/${pathParts(path).join('/')}`.toLowerCase();
