import type { Clock } from '../base/clock.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { OverwrittenRules, emptyReport } from '../rules/import-export/redirect-report.js';
import { addLine, storeBatch, type ImportedRule, WildcardBatch } from '../rules/import-export/import-redirects.js';
import { toRule as toRuleInput } from '../rules/rule-keys.js';
import { MAX_RULES } from '../rules/store/store-rules.js';
import { learnSectionRedirects } from '../rules/learn-redirects-job.js';
import { readRedirect, type ParsedRule } from '../rule-formats/read-redirect.js';
import { withTerms, type RuleTerms } from '../rule-formats/read/read-rule.js';
import { toBare, toLiteral, toRule } from '../rule-formats/read/to-rule.js';
import type { SourceItem } from '../sources/source.js';
import { pathKey } from '../text/paths/plain-path.js';
import { checkStorable } from '../base/validate.js';

type RedirectItem = Pick<Extract<SourceItem, { kind: 'redirect' }>, 'from' | 'to' | 'isPattern' | 'terms'>;

/** Stores the redirects of a source in batches. Of several redirects with the same old path, the last one wins. */
export class SyncRedirects {
  readonly #deps: Parameters<typeof storeBatch>[0];
  readonly #dryRun: boolean;
  readonly #tenant: Tenant;
  readonly #stored = emptyReport();
  readonly #wildcards = new WildcardBatch(this.#stored);
  readonly #overwritten = new OverwrittenRules(this.#stored.overwritten);
  #batch = new Map<string, ImportedRule>();
  /** The number of accepted rules. */
  count = 0;

  constructor({ clock, dryRun }: { clock: Clock; dryRun: boolean }, tenant: Tenant) {
    this.#deps = { db: tenant.db, clock, origin: 'sync' };
    this.#dryRun = dryRun;
    this.#tenant = tenant;
  }

  /** Adds a redirect. Returns the reason of a refusal. @throws ApiError with the field `path` or `expected` */
  async take({ from, to, isPattern, terms = {} }: RedirectItem): Promise<string | undefined> {
    checkStorable({ path: from, expected: to }, 'redirect');
    const redirect = readRedirect({ ...withTerms(isPattern ? toRule(from, to) : toLiteral(from, to), terms), line: 0 });
    if (!redirect) return undefined;
    if ('refused' in redirect) return redirect.refused;
    // Aliases have the site's own address, but their rule is not limited to that host.
    delete redirect.terms?.host;
    const page = redirect.kind === 'exact' ? redirect.target?.path : undefined;
    // Rules do not distinguish `/about` and `/about/`.
    if (page === undefined || !pathKey(redirect.path).equals(pathKey(page))) await this.#add(redirect, from);
    return undefined;
  }

  /** Adds a path, wildcard or pattern that is gone (410). Returns the reason of a refusal. @throws ApiError */
  async takeGone(path: string, terms: RuleTerms = {}): Promise<string | undefined> {
    checkStorable({ path }, 'redirect');
    const gone = readRedirect({ ...withTerms(toBare('gone', path), terms), line: 0 });
    if (gone && 'refused' in gone) return gone.refused;
    if (gone) await this.#add(gone, gone.kind === 'exact' ? gone.path : path);
    return undefined;
  }

  async #add(says: ParsedRule, from: string): Promise<void> {
    const rule = toRuleInput(says);
    if (rule.kind !== 'exact') this.#wildcards.add(0, rule);
    const isSame = this.#overwritten.add(0, rule, from);
    if (rule.kind === 'exact') addLine(this.#batch, { line: 0, rule }, isSame);
    this.count++;
    if (this.#batch.size >= MAX_RULES) await this.#flush();
  }

  /** Call it last. Learns section redirects if a rule is new. Returns the reasons of `bad` and of `replaced` rules. */
  async end(): Promise<{ bad: string[]; replaced: string[] }> {
    await this.#flush();
    if (!this.#dryRun) await this.#wildcards.store(this.#deps, this.#tenant.projectId);
    const { created, updated } = this.#stored;
    if (created + updated > 0) await learnSectionRedirects(this.#tenant);
    const { bad, overwritten, replaced } = this.#stored;
    const reasonOf = ({ reason }: { reason: string }): string => reason;
    return { bad: bad.map(reasonOf), replaced: [...overwritten, ...replaced].map(reasonOf) };
  }

  async #flush(): Promise<void> {
    const batch = [...this.#batch.values()];
    this.#batch = new Map();
    if (batch.length === 0 || this.#dryRun) return;
    await storeBatch(this.#deps, this.#tenant.projectId, batch, this.#stored);
    this.#stored.without_page = [];
  }
}
