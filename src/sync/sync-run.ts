import { comparePages, type Difference } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { ApiError, OperatorError } from '../base/errors.js';
import { MAX_CHARACTERS, MAX_UPSERTS, upsertPages, type UpsertDeps } from '../pages/upsert-pages.js';
import type { PushedPage } from '../pages/check-page.js';
import type { SourceItem } from '../sources/source.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { SyncRedirects } from './sync-redirects.js';
import type { SyncTurns } from './run-bounds.js';

export interface SyncRunDeps extends UpsertDeps {
  /** Checks a page as an upsert does. @throws ApiError */
  check: (page: Record<string, unknown>, parsed?: object) => PushedPage;
  onProgress: (items: number, report: SyncReport) => void;
  signal?: AbortSignal;
  /** The turns in which batches are stored; absent: each batch is stored at once. */
  turns?: SyncTurns | undefined;
  /** Gets the pages of each stored batch. */
  validators?: { keep(pages: readonly PageUrl[]): Promise<void> } | undefined;
}

export interface SyncReport extends Record<Difference, number> {
  /** Pages that the source does not have, deleted with `prune`. */
  gone: number;
  refused: number;
  redirects: number;
  /** The rules that another rule replaced, each as one text with both rules; absent if there are none. */
  replaced?: string[];
}

export interface Refusal {
  where: string;
  reason: string;
}

const MAX_REFUSALS = 20;

/** The max urls of a source. A million urls take 53 MB, this many take a gigabyte (docs/operate/scale.md). */
const MAX_URLS = 1 << 24;

/** The key of a url: 96 bits of its hash. */
export const urlKey = (hash: Buffer): string => hash.toString('latin1', 0, 12);

/** Stores the items of a source in batches, and keeps the keys of its urls. */
export class SyncRun {
  readonly #deps: SyncRunDeps;
  readonly #tenant: Tenant;
  readonly #dryRun: boolean;
  readonly #redirects: SyncRedirects;
  #batch: PushedPage[] = [];
  #unchanged: PageUrl[] = [];
  #characters = 0;
  items = 0;
  /** The {@link urlKey} of each url of the source. */
  readonly seen = new Set<string>();
  /** The first {@link MAX_REFUSALS} refusals. */
  readonly refusals: Refusal[] = [];
  refusedPages = 0;
  /** Refused pages without a known url. */
  unread = 0;
  readonly report: SyncReport = {
    created: 0,
    updated_content: 0,
    updated_metadata: 0,
    unchanged: 0,
    gone: 0,
    refused: 0,
    redirects: 0,
  };

  constructor(deps: SyncRunDeps, tenant: Tenant, dryRun: boolean) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#dryRun = dryRun;
    this.#redirects = new SyncRedirects({ clock: deps.clock, dryRun }, tenant);
  }

  async take(item: SourceItem): Promise<void> {
    switch (item.kind) {
      case 'page':
        this.#takePage(item);
        break;
      case 'unchanged': {
        const url = parsePageUrl(item.url);
        if (!url || !this.#isNew(url)) break;
        this.report.unchanged++;
        this.#unchanged.push(url);
        break;
      }
      case 'redirect':
        await this.#takeRule(item.where, () => this.#redirects.take(item));
        break;
      case 'gone':
        await this.#takeRule(item.where, () => this.#redirects.takeGone(item.path, item.terms));
        break;
      case 'refused':
        if (item.isRule) this.#refuse(item.where, item.reason);
        else {
          const { where, reason, linked_from: from } = item;
          this.#refusePage(where, where, from === undefined ? reason : `${reason} (linked from ${from})`);
        }
    }
    this.#deps.onProgress(++this.items, this.report);
    this.#deps.signal?.throwIfAborted();
    if (this.#batch.length + this.#unchanged.length >= MAX_UPSERTS || this.#characters >= MAX_CHARACTERS)
      await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    const { bad, replaced } = await this.#redirects.end();
    for (const reason of bad) this.#refuse('redirects', reason);
    if (replaced.length > 0) this.report.replaced = replaced;
    for (const reason of replaced) this.#addRefusal('redirects', reason);
    this.report.redirects = this.#redirects.count;
  }

  #takePage({ page, where }: Extract<SourceItem, { kind: 'page' }>): void {
    try {
      const checked = this.#deps.check(page as unknown as Record<string, unknown>, page);
      const { url, metadata } = checked;
      if (!this.#isNew(url)) {
        this.#refusePage(where, url.href, `the source has another page ${url.href}`);
        return;
      }
      const isEmpty = metadata && Object.keys(metadata).length === 0;
      this.#batch.push({ ...checked, metadata: isEmpty ? null : metadata });
      this.#characters += checked.content.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The url is unchecked: it may be any value.
      const url: unknown = page.url;
      this.#refusePage(where, typeof url === 'string' ? url : '', error.message);
    }
  }

  /** Adds a url to {@link seen}; returns false if it was there already. */
  #isNew({ hash }: PageUrl): boolean {
    const before = this.seen.size;
    if (before === MAX_URLS) throw new OperatorError(`The source has more than ${MAX_URLS} pages.`);
    return this.seen.add(urlKey(hash)).size > before;
  }

  async #takeRule(where: string, take: () => Promise<string | undefined>): Promise<void> {
    try {
      const refused = await take();
      if (refused !== undefined) this.#refuse(where, refused);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#refuse(where, error.message);
    }
  }

  /** A refused page with a known url counts as seen, so that it is not deleted as gone. */
  #refusePage(where: string, url: string, reason: string): void {
    const known = parsePageUrl(url);
    this.refusedPages++;
    if (known) this.#isNew(known);
    else this.unread++;
    this.#refuse(where, reason);
  }

  #refuse(where: string, reason: string): void {
    this.report.refused++;
    this.#addRefusal(where, reason);
  }

  #addRefusal(where: string, reason: string): void {
    if (this.refusals.length < MAX_REFUSALS) this.refusals.push({ where, reason });
  }

  async #flush(): Promise<void> {
    const pages = this.#batch;
    const read = [...this.#unchanged, ...pages.map(({ url }) => url)];
    this.#batch = [];
    this.#unchanged = [];
    this.#characters = 0;
    if (read.length === 0) return;
    const { turns, signal } = this.#deps;
    await (turns ? turns.of.run(turns.by, () => this.#store(pages, read), signal) : this.#store(pages, read));
  }

  async #store(pages: PushedPage[], read: readonly PageUrl[]): Promise<void> {
    const { db, projectId } = this.#tenant;
    const differences = pages.length === 0 ? [] : await comparePages(db, projectId, pages);
    for (const difference of differences) this.report[difference]++;
    const changed = pages.filter((_, at) => differences[at] !== 'unchanged');
    if (changed.length > 0 && !this.#dryRun) await upsertPages(this.#deps, this.#tenant, changed, 'bulk');
    await this.#deps.validators?.keep(this.#dryRun ? [] : read);
  }
}
