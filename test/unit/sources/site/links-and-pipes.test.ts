import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { readAll, refusedOf, urlsOf, writeFiles } from '../read-all.js';

/** Where these generators keep their pages. */
const DOCS = 'docs';

describe('a folder with symbolic links and pipes', () => {
  let folder: string;
  let site: string;
  const base = 'https://docs.example/';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-links-'));
    site = join(folder, 'site');
    await writeFiles(folder, {
      'secret/passwords.md': '# Passwords\n\nNobody reads this.',
      'secret/mkdocs.yml': 'site_url: https://secret.example/',
      [`site/${DOCS}/index.md`]: '# Home\n\nWelcome.',
    });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const failure = (options = {}): Promise<unknown> =>
    readAll(site, { base, ...options }).catch((error: unknown) => error);

  it('is read without them, and names each that could be a page or a folder of pages', async () => {
    await writeFiles(site, { 'mkdocs.yml': 'site_url: https://docs.example/' });
    await symlink(join(folder, 'secret'), join(site, `${DOCS}/inside`));
    await symlink(join(folder, 'secret/passwords.md'), join(site, `${DOCS}/page.md`));
    await symlink('/nowhere', join(site, `${DOCS}/logo.png`));
    const items = await readAll(site);
    expect(urlsOf(items)).to.deep.equal([base]);
    expect(refusedOf(items).sort()).to.deep.equal(
      [`${DOCS}/inside`, `${DOCS}/page.md`].map(
        (one) => `${one}: is a symbolic link: it may lead out of the folder, and is not followed`,
      ),
    );
  });

  it('whose folder of pages is a link that leads out gives none of these pages, and says so', async () => {
    await writeFiles(site, { 'mkdocs.yml': 'site_url: https://docs.example/\ndocs_dir: pages' });
    await symlink(join(folder, 'secret'), join(site, 'pages'));
    const items = await readAll(site);
    expect(urlsOf(items)).to.deep.equal([]);
    expect(refusedOf(items)).to.have.length(1);
    await rm(join(site, 'pages'));
    // Within the folder it may lead anywhere.
    await symlink('docs', join(site, 'pages'));
    expect(urlsOf(await readAll(site))).to.deep.equal([base]);
  });

  it('whose settings are a link that leads out, a pipe or a folder is refused at once, by the name of the file', async () => {
    const makes: Record<string, (file: string) => unknown> = {
      'is a link that leads out': (file) => symlink(join(folder, 'secret/mkdocs.yml'), file),
      'is no regular file: it': (file) => execFileSync('mkfifo', [file]),
      'is no regular file': (file) => mkdir(file),
    };
    const names = ['mkdocs.yml', 'hugo.toml', '_config.yml', 'docusaurus.config.js', '.eleventy.js', 'conf.py'];
    for (const name of names)
      for (const [words, make] of Object.entries(makes)) {
        const file = join(site, name);
        await make(file);
        const error = await failure();
        expect(error, `${name} ${words}`).to.be.instanceOf(OperatorError);
        expect(String(error)).to.include(file).and.include(words);
        await rm(file, { recursive: true });
      }
    for (const [name, also] of [
      ['versions.json', 'docusaurus.config.js'],
      ['.gitignore', '.eleventy.js'],
    ] as const) {
      await writeFiles(site, { [also]: 'module.exports = {}' });
      execFileSync('mkfifo', [join(site, name)]);
      expect(String(await failure()), name).to.include('is no regular file');
      await rm(join(site, name));
      await rm(join(site, also));
    }
  });
});
