/**
 * Makes the public sites of public-sites.json from checkouts of their repositories:
 *
 *   node .build/scripts/model/cases/make-public-sites.js CHECKOUTS SITES
 *
 * CHECKOUTS holds each repository as owner+name, at the commit that the list names. Of each site it writes
 * SITES/NAME/pages.jsonl, as `npm run eval` reads it. The text is its authors' and stays out of this repository.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import { openSource } from '#src/sources/open-source.js';
import { LeftOut } from '#src/sources/source.js';

interface PublicSite {
  name: string;
  language: string;
  /** On GitHub. */
  repository: string;
  commit: string;
  folder: string;
  base: string;
}

/** Shorter pages are lists of links, and stubs. */
const MIN_CHARACTERS = 200;

const [checkouts, sites] = process.argv.slice(2);
if (checkouts === undefined || sites === undefined) throw new Error('make-public-sites.js CHECKOUTS SITES');
const list = JSON.parse(
  await readFile(join(packageRoot(), 'scripts/model/cases/public-sites.json'), 'utf8'),
) as PublicSite[];
for (const { name, repository, folder, base, language } of list) {
  const copy = await mkdtemp(join(tmpdir(), 'pathmend-site-'));
  await cp(join(checkouts, repository.replace('/', '+'), folder), copy, { recursive: true });
  // Markdown with components is read as Markdown.
  for (const file of await readdir(copy, { recursive: true }))
    if (file.endsWith('.mdx')) await rename(join(copy, file), join(copy, file.slice(0, -1)));
  const source = await openSource({
    source: copy,
    format: 'markdown',
    base,
    web: {} as never,
    leftOut: new LeftOut(),
    stdin: process.stdin,
    now: Date.now(),
  });
  const rows: string[] = [];
  for await (const item of source)
    if (item.kind === 'page' && item.page.content.length >= MIN_CHARACTERS)
      rows.push(JSON.stringify({ ...item.page, metadata: { ...item.page.metadata, language } }));
  await mkdir(join(sites, name), { recursive: true });
  await writeFile(join(sites, name, 'pages.jsonl'), `${rows.join('\n')}\n`);
  await rm(copy, { recursive: true });
  process.stdout.write(`${name}: ${rows.length} pages\n`);
}
