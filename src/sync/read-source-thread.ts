/** Entry of the thread that reads a project's source; read-source.ts starts it. */
import { Readable } from 'node:stream';
import type { Logger } from '../base/logger.js';
import { packageVersion } from '../base/package-root.js';
import { openTenant, type Tenant, type TenantAddress } from '../platform/database/session/tenants.js';
import { inTurn, serveWorkThread } from '../platform/run-in-thread.js';
import { openSource } from '../sources/open-source.js';
import { LeftOut, type KnownPages, type SourceItem, type Validators } from '../sources/source.js';
import { LinkLog, type BrokenLink } from '../sources/web/link-log.js';
import { reasonPrivate } from '../sources/web/http-client.js';
import { NoSitemap } from '../sources/web/read-sitemaps.js';
import { RunBounds, type Bounds } from './run-bounds.js';
import { StoredValidators } from './stored-validators.js';
import { readUpload } from './store-upload.js';
import type { ProjectSource } from './store/project-sources.js';

export interface ReadTask {
  tenant: TenantAddress;
  source: Pick<ProjectSource, 'kind' | 'source' | 'base' | 'guarded' | 'follows_links' | 'include' | 'exclude'>;
  /** Private networks that guarded sources may reach (SITE_NETWORKS). */
  networks: readonly string[];
  bounds: Bounds;
  /** Whether requests are conditional, so that unchanged pages are not read. */
  skipsUnchanged: boolean;
}

export type ReadOutput =
  /** `known`: url and validators of the page. */
  | { item: SourceItem; known: [string, Validators] | undefined }
  /** The last output. `brokenLinks` is set by a crawl only, `server` if it is known who answered the first page. */
  | {
      leftOut: ReturnType<LeftOut['list']>;
      followsLinks: boolean;
      brokenLinks: BrokenLink[] | undefined;
      server: string | undefined;
    };

const silent: Logger = { debug, info: debug, warn: debug, error: debug };
function debug(): void {
  // The report has every problem of the site.
}

async function* read(task: ReadTask, tenant: Tenant): AsyncGenerator<ReadOutput> {
  const bounds = new RunBounds(task.bounds);
  const onBytes = (bytes: number): void => bounds.read(bytes);
  const { kind, source, base, guarded } = task.source;
  const stored = new StoredValidators(tenant);
  let known: [string, Validators] | undefined;
  const pages: KnownPages = {
    get: (url) => stored.get(url),
    urls: () => stored.urls(),
    set: (url, validators) => {
      known = [url, validators];
    },
  };
  let links: LinkLog | undefined;
  let server: string | undefined;
  const open = (crawl: boolean, leftOut: LeftOut) => {
    links = crawl ? new LinkLog() : undefined;
    return openSource({
      source: kind === 'upload' ? '-' : source,
      stdin: kind === 'upload' ? Readable.from(readUpload(tenant)) : Readable.from([]),
      stdinName: source,
      base: base ?? undefined,
      filter: task.source,
      onText: onBytes,
      leftOut,
      crawl,
      web: {
        userAgent: `pathmend/${packageVersion()}`,
        logger: silent,
        signal: bounds.signal,
        onBytes,
        guard: guarded ? (url, addresses) => reasonPrivate(url, addresses, task.networks, 'SITE_NETWORKS') : undefined,
        ...(task.skipsUnchanged && { known: pages }),
        links,
        inTurn,
        onServer: (name) => (server ??= name),
      },
    });
  };
  let followsLinks = task.source.follows_links === true;
  let leftOut = new LeftOut();
  async function* items(): AsyncGenerator<SourceItem> {
    try {
      yield* await open(followsLinks, leftOut);
    } catch (error) {
      // A site that had a sitemap before keeps its mode: a crawl may miss pages, which would then seem gone.
      if (!(error instanceof NoSitemap) || task.source.follows_links === false) throw error;
      followsLinks = true;
      leftOut = new LeftOut();
      yield* await open(true, leftOut);
    }
  }
  for await (const item of bounds.of(items())) {
    yield { item, known };
    known = undefined;
  }
  yield { leftOut: leftOut.list(), followsLinks, brokenLinks: links?.list(), server };
}

await serveWorkThread(async function* (data) {
  const task = data as ReadTask;
  const tenant = openTenant(task.tenant);
  try {
    yield* read(task, tenant);
  } finally {
    await tenant.close();
  }
});
