import { listBrokenUrls } from './store/broken-links.js';
import { rowsInOrder } from '../platform/database/rows-in-order.js';
import { listValidatedUrls, readValidators, storeValidators } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { KnownPages, Validators } from '../sources/source.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';

/** Bound on untrusted header length. */
const MAX_CHARACTERS = 1_000;

/** Validators of a project's pages, stored with the pages. A page that was changed in another way has none. */
export class StoredValidators implements KnownPages {
  readonly #tenant: Tenant;
  /** Validators of pages that are not stored yet, by url. */
  readonly #waiting = new Map<string, Validators>();

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  async get(url: string): Promise<Validators | undefined> {
    const page = parsePageUrl(url);
    return page && readValidators(this.#tenant.db, this.#tenant.projectId, page.hash);
  }

  set(url: string, validators: Validators): void {
    this.#waiting.set(url, validators);
  }

  async *urls(): AsyncGenerator<string> {
    const { db, projectId } = this.#tenant;
    const read = (after: string, limit: number) => listValidatedUrls(db, projectId, after, limit);
    for await (const { url } of rowsInOrder(read, '', ({ page_id }) => page_id)) yield url;
    // Checks the links of unchanged pages again.
    yield* await listBrokenUrls(db, projectId);
  }

  /** Stores the validators of these pages, which must be stored already; drops all others, whose pages were refused. */
  async keep(pages: readonly PageUrl[]): Promise<void> {
    const known = pages.flatMap(({ href, hash: urlHash }) => {
      const validators = this.#waiting.get(href);
      if (!validators) return [];
      const { etag, lastModified, lastmod, links } = validators;
      return [{ urlHash, etag: short(etag), lastModified: short(lastModified), lastmod: short(lastmod), links }];
    });
    this.#waiting.clear();
    if (known.length > 0) await storeValidators(this.#tenant.db, this.#tenant.projectId, known);
  }
}

/** Drops overlong values: truncated validators would never match. */
function short(text: string | null | undefined): string | null {
  return text == null || text.length > MAX_CHARACTERS || text.includes('\u0000') ? null : text;
}
