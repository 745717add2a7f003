import type { Clock } from '../../base/clock.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { lockMoves } from '../../projects/turns.js';
import { readRules } from '../store/rules.js';
import { MAX_WILDCARDS, storeWildcard, type WildcardInput } from '../store/wildcard-redirects.js';
import { invalid } from '../../base/errors.js';
import type { RuleOrigin } from '../../base/glossary.js';
import type { Bare, Wildcard } from '../../rule-formats/read-redirect.js';
import { replacedBy, type ReplacedRule } from './redirect-report.js';
import { toBareWildcard, toWildcardInput, wildcardKey } from '../rule-keys.js';

export interface StoreDeps {
  db: Db;
  clock: Clock;
  origin: RuleOrigin;
}

interface Counts {
  replaced: ReplacedRule[];
  created: number;
  updated: number;
  unchanged: number;
  bad: { line: number; reason: string }[];
}

/** The keys of rules that a sync leaves alone: a person made them, and the next night would take them back. */
export async function readTaken(
  trx: Trx,
  projectId: string,
  origin: RuleOrigin,
  only: { keys: readonly Buffer[]; prefixes: readonly string[] },
): Promise<Set<string>> {
  if (origin !== 'sync') return new Set();
  const rules = await readRules(trx, projectId, only);
  return new Set(rules.flatMap((rule) => (rule.made_by === null ? [] : [rule.key])));
}

/** Wildcards of a source; when some share an old prefix, the last one counts. */
export class WildcardBatch {
  readonly #report: Counts;
  readonly #all = new Map<string, { line: number; says: Wildcard | undefined; wildcard: WildcardInput }>();

  constructor(report: Counts) {
    this.#report = report;
  }

  /**
   * @returns its plain prefix
   * @throws ApiError if it is refused
   */
  add(line: number, says: Wildcard | Bare): string {
    const isBare = 'barePath' in says;
    const wildcard = isBare ? toBareWildcard(says.action, says.barePath) : toWildcardInput(says);
    if (this.#all.size >= MAX_WILDCARDS && !this.#all.has(wildcard.oldPrefix))
      throw invalid('path', `more than ${MAX_WILDCARDS} wildcards`);
    const before = this.#all.get(wildcard.oldPrefix)?.wildcard;
    const isSame = before?.target === wildcard.target && before.action === wildcard.action;
    const spellings = isSame ? [...before.spellings, before.oldPath] : [];
    this.#all.set(wildcard.oldPrefix, { line, says: isBare ? undefined : says, wildcard: { ...wildcard, spellings } });
    return wildcard.oldPrefix;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Those that lead to pages. */
  get redirects(): Wildcard[] {
    return [...this.#all.values()].flatMap(({ says }) => says ?? []);
  }

  /** Leaves wildcards out: the project's redirects say the same. */
  leaveOut(said: ReadonlySet<Wildcard>): void {
    for (const [prefix, { says }] of this.#all) if (says && said.has(says)) this.#all.delete(prefix);
  }

  /**
   * Leaves all out if the project's rules say the same at their ends. One that is new or says something else may change
   * where the others end: then none is left out.
   */
  leaveOutIf(same: (wildcard: WildcardInput) => boolean): boolean {
    const all = [...this.#all.values()];
    const isSame = ({ oldPath, spellings, ...end }: WildcardInput): boolean =>
      [oldPath, ...spellings].every((one) => same({ ...end, spellings: [], oldPath: one }));
    if (!all.every(({ wildcard }) => isSame(wildcard))) return false;
    this.#report.unchanged += all.length;
    this.#all.clear();
    return true;
  }

  async store(deps: StoreDeps, projectId: string): Promise<void> {
    if (this.#all.size === 0) return;
    await inTransaction(deps.db, async (trx) => {
      await lockMoves(trx, projectId);
      let changed = false;
      const prefixes = [...this.#all.keys()];
      const taken = await readTaken(trx, projectId, deps.origin, { keys: [], prefixes });
      const made = { origin: deps.origin, by: null, at: new Date(deps.clock.now()) };
      const before = new Map((await readRules(trx, projectId, { keys: [], prefixes })).map((rule) => [rule.key, rule]));
      for (const { line, wildcard } of this.#all.values()) {
        if (taken.has(wildcardKey(wildcard.oldPrefix).toString('hex'))) continue;
        const done = await storeWildcard(trx, projectId, wildcard, made);
        changed ||= done === 'created' || done === 'updated';
        const was = before.get(wildcardKey(wildcard.oldPrefix).toString('hex'));
        if (was && done === 'updated')
          this.#report.replaced.push(replacedBy(line, `${wildcard.oldPath}*`, was, wildcard));
        if (done !== 'full') this.#report[done]++;
        else
          this.#report.bad.push({ line, reason: `the project has ${MAX_WILDCARDS} wildcards, and may have no more` });
      }
      if (changed) await bumpIndexVersion(trx, projectId);
    });
  }
}
