/**
 * Makes the public sites of public-sites.json from checkouts of their repositories:
 *
 *   node .build/scripts/model/cases/make-public-sites.js CHECKOUTS SITES
 *
 * CHECKOUTS holds each repository as owner+name, at the commit that the list names. Of each site it writes
 * SITES/NAME/pages.jsonl, as `npm run eval` reads it. The text is its authors' and stays out of this repository.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import { readMarkdownPages } from './markdown-pages.js';

interface PublicSite {
  name: string;
  language: string;
  /** The repository on GitHub, as `owner/name`. */
  repository: string;
  commit: string;
  folder: string;
  base: string;
}

/** Shorter pages are left out: they are lists of links, and stubs. */
const MIN_CHARACTERS = 200;

const [checkouts, sites] = process.argv.slice(2);
if (checkouts === undefined || sites === undefined) throw new Error('make-public-sites.js CHECKOUTS SITES');
const list = JSON.parse(
  await readFile(join(packageRoot(), 'scripts/model/cases/public-sites.json'), 'utf8'),
) as PublicSite[];
for (const { name, repository, folder, base, language } of list) {
  const checkout = join(checkouts, repository.replace('/', '+'), folder);
  const rows: string[] = [];
  for await (const { metadata, ...page } of readMarkdownPages(checkout, base))
    if (page.content.length >= MIN_CHARACTERS)
      rows.push(JSON.stringify({ ...page, metadata: { ...metadata, language } }));
  await mkdir(join(sites, name), { recursive: true });
  await writeFile(join(sites, name, 'pages.jsonl'), `${rows.join('\n')}\n`);
  process.stdout.write(`${name}: ${rows.length} pages\n`);
}
