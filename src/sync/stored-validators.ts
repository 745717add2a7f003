import { listBrokenUrls } from './store/broken-links.js';
import { listValidatedUrls, readValidators, storeValidators } from './store/validators.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { KnownPages, Validators } from '../sources/source.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';

/** Bound on untrusted header length. */
const MAX_CHARACTERS = 1_000;
const MAX_URLS = 1_000;

/** Validators of a project's pages, stored with the pages. A page that was changed otherwise since has none. */
export class StoredValidators implements KnownPages {
  readonly #tenant: Tenant;
  /** Validators of pages that are not stored yet, by url. */
  readonly #waiting = new Map<string, Validators>();

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  async get(url: string): Promise<Validators | undefined> {
    const page = parsePageUrl(url);
    const known = page && (await readValidators(this.#tenant.db, this.#tenant.projectId, page.hash));
    if (!known) return undefined;
    const { etag, last_modified: lastModified, lastmod, links } = known;
    return {
      etag: etag ?? undefined,
      lastModified: lastModified ?? undefined,
      lastmod: lastmod ?? undefined,
      links: links ?? undefined,
    };
  }

  set(url: string, validators: Validators): void {
    this.#waiting.set(url, validators);
  }

  async *urls(): AsyncGenerator<string> {
    const { db, projectId } = this.#tenant;
    for (let after = ''; ;) {
      const rows = await listValidatedUrls(db, projectId, after, MAX_URLS);
      for (const { url } of rows) yield url;
      const last = rows.at(-1);
      if (!last || rows.length < MAX_URLS) break;
      after = last.page_id;
    }
    // Checks the links of unchanged pages again.
    yield* await listBrokenUrls(db, projectId);
  }

  /** Stores the validators of these pages, which must be stored already; drops all others, whose pages were refused. */
  async keep(pages: readonly PageUrl[]): Promise<void> {
    const known = pages.flatMap(({ href, hash }) => {
      const validators = this.#waiting.get(href);
      return validators ? [{ urlHash: hash, ...toRow(validators) }] : [];
    });
    this.#waiting.clear();
    if (known.length > 0) await storeValidators(this.#tenant.db, this.#tenant.projectId, known);
  }
}

function toRow({ etag, lastModified, lastmod, links }: Validators) {
  return { etag: short(etag), last_modified: short(lastModified), lastmod: short(lastmod), links: links ?? null };
}

/** Drops overlong values: truncated validators would never match. */
function short(text: string | undefined): string | null {
  return text === undefined || text.length > MAX_CHARACTERS || text.includes('\u0000') ? null : text;
}
