import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { listRuleRows } from '#src/rules/store/rules.js';
import { pushPages } from '../../../support/learned-redirects.js';
import { runInProcess } from '../../../support/commands.js';
import type { Finished } from '../../../support/processes.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const FILES = join(packageRoot(), 'test/fixtures/redirect-files');

describe('redirects import, of files as servers, tools and people have them', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/guides/flat-tyre', '/guides/brakes', '/guides/chain');
  });

  const importFile = (file: string, ...args: string[]): Promise<Finished> =>
    runInProcess(['redirects', 'import', '--project', project.row.name, file, ...args]);

  /** All old paths that are stored, and where they lead. */
  async function stored(): Promise<string[]> {
    const rows = await listRuleRows(sharedService().service.db, project.row.project_id, {}, undefined, 100);
    return rows.map(({ path, target }) => `${path} ${target?.replace(/^https?:\/\/[^/]+/, '') ?? ''}`).sort();
  }

  for (const [file, args, rules, refused] of [
    ['conditions.nginx.conf', ['--format', 'nginx'], ['/page?id=7 /guides/brakes'], [5]],
    [
      'conditions.htaccess',
      ['--format', 'apache'],
      ['/blog/or.asp?id=1 /guides/brakes', '/blog/or.asp?id=2 /guides/brakes', '/blog/x /guides/brakes'],
      [8],
    ],
    ['sections.apache.conf', ['--format', 'apache'], [], [2, 5]],
    ['missing.vercel.json', ['--format', 'vercel'], [], [1]],
    ['conditions.web.config', [], ['/page?id=5 /guides/chain'], [4, 6]],
    ['redirection.csv', [], [], [2, 3, 4]],
    ['rank-math.csv', [], [], [2, 3]],
    ['rewritten.csv', [], [], [2]],
    ['rewritemaps.config', [], ['/Alt-Eins.aspx /guides/brakes', '/artikel?id=5&l=de /guides/chain'], []],
    ['httpredirect.config', ['--format', 'iis'], ['/alt.htm /guides/brakes'], []],
    ['map.web.config', [], ['/Alt-Eins.aspx /guides/brakes', '/artikel?id=5&l=de /guides/chain'], []],
    ['windows-1252.csv', [], [], [2]],
  ] as const) {
    it(`stores what rules can say of ${file}, and names each other rule by its line`, async () => {
      const { code, stderr } = await importFile(join(FILES, file), ...args);
      const named = [...stderr.matchAll(/^line (\d+): (?!the project has no page)/gm)].map(([, line]) => Number(line));
      expect(named).to.deep.equal([...refused]);
      expect(await stored()).to.deep.equal([...rules]);
      expect(code, stderr).to.equal(refused.length > 0 ? 1 : 0);
    });
  }

  it('says what to bring in place of rules of Caddy, HAProxy and Traefik, which are written alone', async () => {
    const file = join(folder, 'Caddyfile');
    await writeFile(file, 'redir /old /new\n');
    const answers = [await importFile(file)];
    for (const format of ['caddy', 'haproxy', 'traefik']) answers.push(await importFile(file, '--format', format));
    for (const { code, stderr } of answers) {
      expect(code).to.equal(1);
      expect(stderr).to.match(/^Rules of .* are written by `redirects export`, and not read: bring them as CSV/m);
    }
  });

  it('fails with a sentence where nothing of a file is a rule, in every format', async () => {
    for (const [name, text, ...args] of [
      ['empty', ''],
      ['empty.csv', ''],
      ['header.csv', 'from,to\n'],
      ['a.jsonl', '\n\n'],
      ['comments', '# /a /b\n\n'],
      ['a.conf', 'server {\n  listen 80;\n}\n', '--format', 'nginx'],
      ['b.conf', '<IfModule mod_rewrite.c>\nRewriteEngine off\nRewriteRule ^a$ /b [R=301]\n</IfModule>'],
      ['c.yml', 'http:\n  routers: {}\n'],
      ['d.toml', '[http.routers.a]\nrule = "Host(`a.example`)"\n'],
      ['netlify.toml', '[build]\npublish = "dist"\n'],
      ['e.config', '<configuration><system.webServer></system.webServer></configuration>'],
      ['vercel.json', '{"redirects": []}'],
      ['sheet.csv', 'old,new,score,action\n/a,/b,0.5,review\n'],
    ] as const) {
      const file = join(folder, name);
      await writeFile(file, text);
      const { code, stderr } = await importFile(file, ...args);
      expect(code, `${name}: ${stderr}`).to.equal(1);
      expect(stderr, name).to.match(/has no rule|neither|it has no|and not read/);
    }
    expect(await stored()).to.deep.equal([]);
  });
});
