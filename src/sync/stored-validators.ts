import { listBrokenUrls } from './store/broken-links.js';
import { listValidatedUrls, readValidators, storeValidators } from './store/validators.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { KnownPages, Validators } from '../sources/source.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';

/** Servers say what they like. */
const MAX_CHARACTERS = 1_000;
const MAX_URLS = 1_000;

/**
 * What servers said of a project's pages, kept with the pages: what is not stored any more, or was changed by somebody
 * else, is asked for anew.
 */
export class StoredValidators implements KnownPages {
  readonly #tenant: Tenant;
  /** Of the page that is handed on next, and of those whose batch is not stored yet. */
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
      ...(etag === null ? {} : { etag }),
      ...(lastModified === null ? {} : { lastModified }),
      ...(lastmod === null ? {} : { lastmod }),
      ...(links && { links }),
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
    // Links of pages that have not changed: whether they are still broken.
    yield* await listBrokenUrls(db, projectId);
  }

  /** Keeps what is known of these pages, which were stored; forgets what waits for others, which were refused. */
  async keep(pages: readonly PageUrl[]): Promise<void> {
    const known = pages.flatMap(({ href, hash }) => {
      const said = this.#waiting.get(href);
      return said ? [{ urlHash: hash, ...toRow(said) }] : [];
    });
    this.#waiting.clear();
    if (known.length > 0) await storeValidators(this.#tenant.db, this.#tenant.projectId, known);
  }
}

function toRow({ etag, lastModified, lastmod, links }: Validators) {
  return { etag: short(etag), last_modified: short(lastModified), lastmod: short(lastmod), links: links ?? null };
}

/** A text that was cut is another one. */
function short(text: string | undefined): string | null {
  return text === undefined || text.length > MAX_CHARACTERS || text.includes('\u0000') ? null : text;
}
