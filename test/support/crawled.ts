import { LinkLog } from '#src/sources/web/link-log.js';
import { storeBrokenLinks } from '#src/sync/broken-links.js';
import type { TestProject, TestService } from './service.js';

/** Stores what a crawl stores that met these links, each answered 404, on these pages. */
export async function crawled(
  { service }: Pick<TestService, 'service'>,
  { row }: Pick<TestProject, 'row'>,
  links: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const log = new LinkLog();
  const pages = new Set(Object.values(links).flat());
  for (const page of pages) {
    const of = Object.entries(links).flatMap(([link, on]) => (on.includes(page) ? [link] : []));
    log.add(page, of, new Set(of.map((link) => new URL(link).origin)));
  }
  for (const link of Object.keys(links)) log.addBroken(link, 404, 'the server answers 404');
  await storeBrokenLinks(service.db, row.project_id, log.list(), new Date());
}
