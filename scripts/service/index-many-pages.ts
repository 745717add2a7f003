import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { packageRoot } from '#src/base/package-root.js';
import type { Service } from '#src/app/service.js';
import { indexSite, type IndexedSite } from '../eval/index-site.js';
import { manyPages } from './many-pages.js';

/**
 * A file of so many pages made of the example shop's, for {@link indexPagesFile} or a command, and dead paths of
 * theirs.
 */
export async function writeManyPages(
  pages: number,
  deadPaths: number,
): Promise<{ file: string; paths: string[]; remove: () => Promise<void> }> {
  const site = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
  const made = await manyPages(site.pages, pages, deadPaths);
  return { ...made, remove: () => rm(dirname(made.file), { recursive: true }) };
}

/** Puts a file of pages into a project of its own through the real pipeline. */
export function indexPagesFile(service: Service, name: string, pagesFile: string): Promise<IndexedSite> {
  return indexSite(service, {
    name,
    pagesFile,
    pages: [],
    redirects: [],
    typos: [],
    queries: [],
    meant_paths: [],
    meant_questions: [],
    leftOut: [],
  });
}

/** Both in one: what most benchmarks begin with. */
export async function indexManyPages(
  service: Service,
  pages: number,
  deadPaths: number,
): Promise<IndexedSite & { paths: string[] }> {
  const { file, paths, remove } = await writeManyPages(pages, deadPaths);
  const indexed = await indexPagesFile(service, 'many', file);
  await remove();
  return { ...indexed, paths };
}
