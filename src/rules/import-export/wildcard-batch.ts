import { invalid } from '../../base/errors.js';
import type { Bare, Wildcard } from '../../rule-formats/read-redirect.js';
import { toRule } from '../rule-keys.js';
import { MAX_WILDCARDS, type RuleInput } from '../store/store-rules.js';
import { replacedBy, type RedirectReport } from './redirect-report.js';
import { storeImported, type StoreDeps } from './store-batch.js';

type Counts = Pick<RedirectReport, 'replaced' | 'created' | 'updated' | 'unchanged' | 'bad'>;

/** Rules of all below a path, of a source; when some share a prefix, the last one counts. */
export class WildcardBatch {
  readonly #report: Counts;
  readonly #all = new Map<string, { line: number; says: Wildcard | undefined; rule: RuleInput }>();

  constructor(report: Counts) {
    this.#report = report;
  }

  /**
   * @returns its plain prefix
   * @throws ApiError if it is refused
   */
  add(line: number, says: Wildcard | Bare): string {
    const rule = toRule(says);
    const prefix = rule.prefix ?? '';
    if (this.#all.size >= MAX_WILDCARDS && !this.#all.has(prefix))
      throw invalid('path', `more than ${MAX_WILDCARDS} wildcards`);
    const before = this.#all.get(prefix)?.rule;
    const isSame = before?.target === rule.target && before.action === rule.action;
    const spellings = isSame ? [...before.spellings, before.path.slice(0, -1)] : [];
    this.#all.set(prefix, { line, says: 'barePath' in says ? undefined : says, rule: { ...rule, spellings } });
    return prefix;
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
   * @param same of a path, up to the star
   */
  leaveOutIf(same: (path: string, rule: RuleInput) => boolean): boolean {
    const all = [...this.#all.values()];
    const isSame = (rule: RuleInput): boolean =>
      [rule.path.slice(0, -1), ...rule.spellings].every((path) => same(path, rule));
    if (!all.every(({ rule }) => isSame(rule))) return false;
    this.#report.unchanged += all.length;
    this.#all.clear();
    return true;
  }

  async store(deps: StoreDeps, projectId: string): Promise<void> {
    if (this.#all.size === 0) return;
    for (const { line, rule, outcome, before } of await storeImported(deps, projectId, [...this.#all.values()])) {
      if (before && outcome === 'updated') this.#report.replaced.push(replacedBy(line, rule.path, before, rule));
      if (outcome !== 'full') this.#report[outcome]++;
      else this.#report.bad.push({ line, reason: `the project has ${MAX_WILDCARDS} wildcards, and may have no more` });
    }
  }
}
