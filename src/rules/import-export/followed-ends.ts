import { formatSource, parseSource } from '../../rule-formats/read/source-address.js';
import { wildcardPrefix } from '../../rule-formats/read-redirect.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { wildcardKey } from '../rule-keys.js';
import { rulesEqual } from '../rule-meaning.js';
import type { RuleRow } from '../store/rules.js';
import { followToEnds, parsePrefix, type KnownRedirects } from './rules-for-servers.js';

type End = Pick<RuleRow, 'action' | 'target'>;

/** Where a project's rules lead, and where they end over others: a file that says either changes none of them. */
export class FollowedEnds {
  readonly #byKey = new Map<string, (End & Pick<RuleRow, 'kind'>)[]>();
  /** In the spellings that rules have. */
  readonly #addresses = new Set<string>();

  static async of(rules: KnownRedirects): Promise<FollowedEnds> {
    const ends = new FollowedEnds();
    for (const { known, gone, wildcards, patterns, goneBelow } of [rules, await followToEnds(rules)]) {
      for (const { path, url } of known) ends.#addExact(path, { action: 'redirect', target: url });
      for (const source of gone) ends.#addExact(formatSource(source), { action: 'gone', target: null });
      for (const { path, to, rest } of [...wildcards, ...patterns])
        ends.#addBelow(path, { action: 'redirect', target: rest === 'kept' ? `${to}:splat` : to });
      for (const { path } of goneBelow) ends.#addBelow(path, { action: 'gone', target: null });
    }
    return ends;
  }

  /** Whether a path leads there. One in another spelling than the rules' is not known. */
  has(path: string, end: End): boolean {
    return this.#addresses.has(addressOf(path)) && this.#leads(pathKey(path), end);
  }

  /** The same of all paths below one, which ends with a slash. */
  hasBelow(path: string, end: End): boolean {
    return this.#addresses.has(addressBelow(path)) && this.#leads(wildcardKey(wildcardPrefix(path)), end);
  }

  #leads(key: Buffer, end: End): boolean {
    const own = this.#byKey.get(key.toString('hex')) ?? [];
    return own.some((one) => rulesEqual(one, { kind: one.kind, ...end }));
  }

  #add(kind: RuleRow['kind'], key: Buffer, end: End): void {
    const hex = key.toString('hex');
    this.#byKey.set(hex, [...(this.#byKey.get(hex) ?? []), { kind, ...end }]);
  }

  #addExact(path: string, end: End): void {
    this.#addresses.add(addressOf(path));
    this.#add('exact', pathKey(path), end);
  }

  /** @param path as {@link parsePrefix} gives it */
  #addBelow(path: string, end: End): void {
    this.#addresses.add(`${path}*`);
    this.#add('prefix', wildcardKey(wildcardPrefix(path)), end);
  }
}

function addressOf(path: string): string {
  const source = parseSource(path);
  return source ? formatSource(source) : path;
}

function addressBelow(path: string): string {
  return `${parsePrefix(`${path}*`)?.path ?? path}*`;
}
