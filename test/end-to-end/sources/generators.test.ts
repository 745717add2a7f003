import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import {
  buildSite,
  GENERATORS,
  generatorProgram,
  THEME_WORDS,
  type GeneratorName,
} from '../../../scripts/generators/build-site.js';
import { runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { startWebServer, webServerProgram, type WebServer } from '../../support/web-servers.js';

/** Pages that a generator makes of no file: lists, indexes, searches. No checkout has them. */
const OF_NO_FILE: Record<GeneratorName, RegExp> = {
  hugo: /^news\/$|^fr\/$/,
  jekyll: /^$a/,
  mkdocs: /^$a/,
  sphinx: /^(?:genindex|search)\.html$/,
  'sphinx-dirhtml': /^(?:genindex|search)\/$/,
  eleventy: /^$a/,
  docusaurus: /^(?:news\/(?:archive|authors|tags(?:\/.*)?)?|search|news)$/,
};

/**
 * Where neither file nor theme makes a heading: then a served page has the title of its document, in which MkDocs'
 * theme names the site, and a checkout's page that of its file's name.
 */
const TITLES: Partial<Record<GeneratorName, Record<string, string | null>>> = {
  mkdocs: { 'about/': 'About - S' },
  eleventy: { 'README/': null, 'docs/a/': null },
};

for (const name of Object.keys(GENERATORS) as GeneratorName[]) {
  describe(`a site that the real ${name} built, served by nginx`, function () {
    this.timeout(180_000);
    let folder: string;
    let server: WebServer | undefined;
    let url: string;
    const projects: Record<'checkout' | 'served', TestProject | undefined> = { checkout: undefined, served: undefined };

    before(async function () {
      if (generatorProgram(name) === undefined || webServerProgram('nginx') === undefined) return this.skip();
      folder = await mkdtemp(join(tmpdir(), `pathmend-${name}-`));
      const checkout = join(folder, 'checkout');
      await cp(join(packageRoot(), 'test/fixtures/sites', name.replace('-dirhtml', '')), checkout, { recursive: true });
      // nginx has its port before the site is built: generators write full urls.
      server = await startWebServer(
        'nginx',
        `location ^~ /d/ { root ${folder}/served; try_files $uri $uri/index.html $uri.html =404; }`,
      );
      url = `${server.url}/d/`;
      await buildSite(name, checkout, join(folder, 'served/d'), url);
      const format = name === 'sphinx-dirhtml' ? ['--format', name] : [];
      projects.checkout = await sync(checkout, '--base', url, ...format);
      const { start } = GENERATORS[name];
      projects.served = await sync(url + start, ...(start === '' ? ['--crawl'] : []));
    });

    after(async () => {
      await server?.stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    async function sync(...args: string[]): Promise<TestProject> {
      const project = await sharedService().newProject();
      const command = ['pages', 'sync', '--project', project.row.name];
      const { code, stdout, stderr } = await runInProcess([...command, ...args, '--json']);
      expect(code, stderr + stdout).to.equal(0);
      return project;
    }

    const pagesOf = async (project: TestProject | undefined): Promise<Record<string, string | null>> =>
      Object.fromEntries(
        (
          await query<{ url: string; title: string | null }>(
            sharedService().service,
            'select url, title from pathmend.pages where project_id = $1 order by url',
            [project?.row.project_id ?? ''],
          )
        )
          // Sphinx names /guide/index.html as canonical.
          .map((row): [string, string | null] => [
            decodeURI(row.url.slice(url.length)).replace(/(?:^|(?<=\/))index\.html$/, ''),
            row.title,
          ])
          .filter(([path]) => !OF_NO_FILE[name].test(path)),
      );

    it('has the same pages with the same titles as its checkout', async () => {
      expect(await pagesOf(projects.served)).to.deep.equal({ ...(await pagesOf(projects.checkout)), ...TITLES[name] });
    });

    it('has nothing of its theme in any page', async () => {
      const rows = await query<{ content: string }>(
        sharedService().service,
        'select content from pathmend.pages where project_id = $1',
        [projects.served?.row.project_id ?? ''],
      );
      for (const { content } of rows) for (const words of THEME_WORDS) expect(content).not.to.contain(words);
    });

    // Eleventy writes no page for an old path: that is left to the site's server.
    if (name === 'eleventy') return;

    it('leads each old path that its checkout knows to the page that it became', async () => {
      const rows = await query<{ old_path: string; url: string }>(
        sharedService().service,
        `select r.path as old_path, p.url from pathmend.rules r
           join pathmend.pages p on p.project_id = r.project_id and p.path_key = r.target_key where r.project_id = $1`,
        [projects.checkout?.row.project_id ?? ''],
      );
      for (const { old_path: old, url: target } of rows) {
        const answer = await fetch(new URL(old, url));
        expect(answer.status, old).to.equal(200);
        expect(await answer.text(), old)
          .to.match(/http-equiv="?refresh/i)
          .and.to.contain(new URL(target).pathname);
      }
    });
  });
}
