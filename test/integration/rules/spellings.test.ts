import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { GUIDES, GuidesSite } from '../../support/guides.js';
import { runInProcess } from '../../support/commands.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const LISTED = {
  '/alt': '/guides/brakes',
  '/alt/': '/guides/brakes',
  '/Produkte/Rad.aspx': '/guides/chain',
  '/produkte/rad.aspx': '/guides/chain',
  '/seite.html': '/guides/flat-tyre',
  '/seite.php': '/guides/flat-tyre',
  '/my_page': '/guides/chain',
  '/my-page': '/guides/chain',
  '/blog/notes-of-2.4.1': '/guides/brakes',
  '/blog/notes-of-2-4-1': '/guides/brakes',
};

describe('spellings of one old path', () => {
  const folder = temporaryFolder();

  const rulesOf = (text: string): string[] => text.match(/location = .*/g) ?? [];

  it('each that was listed is a rule of a server, in one file and in two, and after its page was away', async () => {
    const site = await GuidesSite.open(folder);
    const lines = Object.entries(LISTED).map(([from, to]) => `${from} ${to}`);
    const rules = Object.entries(LISTED).map(([from, to]) => `location = "${from}" { return 301 "${to}"; }`);
    const exported = async (): Promise<string[]> => rulesOf((await site.run('export', '--format', 'nginx')).stdout);
    await site.import(...lines.filter((_, at) => at % 2 === 0), '/Weg 410', '/weg 410', '/Store/* /guides/:splat');
    const { code, stderr } = await site.import(...lines, '/store/* /guides/:splat');
    expect(code, stderr).to.equal(0);
    expect(stderr).to.not.include('line ');
    const gone = ['"/Weg"', '"/weg"'].map((path) => `location = ${path} { return 410; }`);
    expect(await exported()).to.have.members([...rules, ...gone]);
    const all = (await site.run('export', '--format', 'csv')).stdout;
    for (const path of [...Object.keys(LISTED), '/Store/*', '/store/*'])
      expect(all).to.match(new RegExp(`^${path.replace(/[.*]/g, '\\$&')},`, 'm'));
    const url = `${GUIDES}/guides/brakes`;
    await site.project.call('DELETE', '/v1/pages/delete', { url });
    await site.project.upsert({
      url,
      title: 'Adjust squeaking brakes',
      content: 'Clean the rim, turn the pads in a little.',
    });
    await site.project.indexed();
    expect(await exported()).to.have.members([...rules, ...gone]);
    expect(await site.proxy('/PRODUKTE/rad')).to.equal(`301 ${GUIDES}/guides/chain`);
    await site.run('remove', '--path', '/alt');
    await site.run('undo', '--change', '1');
    expect(await exported()).to.have.members([...rules, ...gone]);
  });

  it('a rule that another one replaces is named with both targets: of the file, of the project, by add and by sync', async () => {
    const site = await GuidesSite.open(folder);
    await site.import('/a /guides/brakes', '/b /guides/chain', '/w/* /guides/:splat', '/same /guides/chain');
    const file = join(folder, 'second.txt');
    await writeFile(
      file,
      [
        '/A/ /guides/chain',
        '/b 410',
        '/w/* /legal/policy',
        '/same /guides/chain',
        'https://one.example/x /guides/chain',
        'https://one.example/X/ /guides/brakes',
        '',
      ].join('\n'),
    );
    const { stdout, stderr } = await site.run('import', file, '--json');
    for (const line of [
      `the rule /a to ${GUIDES}/guides/brakes is replaced by /A/ to /guides/chain`,
      `the rule /b to ${GUIDES}/guides/chain is replaced by /b to gone`,
      'the rule /w/* to /guides/:splat is replaced by /w/* to /legal/policy',
      'https://one.example/x to /guides/chain is overwritten by line 6, https://one.example/X/ to /guides/brakes',
    ])
      expect(stderr).to.include(line);
    expect((JSON.parse(stdout) as { replaced: { path: string }[] }).replaced.map(({ path }) => path)).to.have.members([
      '/a',
      '/b',
      '/w/*',
    ]);
    const added = await site.run('add', '--from', '/a', '--to', '/legal/policy', '--json');
    const { replaced } = JSON.parse(added.stdout) as { replaced: unknown };
    expect(replaced).to.deep.equal([{ path: '/A/', before: `${GUIDES}/guides/chain`, after: '/legal/policy' }]);
    expect(added.stderr).to.include('is replaced by');
    const source = join(folder, 'site');
    await mkdir(source);
    for (const name of ['first', 'second'])
      await writeFile(join(source, `${name}.html`), `<title>${name}</title><p>About ${name}, at length.</p>`);
    await writeFile(join(source, '_redirects'), '/shared /first.html\n/shared /second.html\n/same /second.html\n');
    const command = ['pages', 'sync', '--project', site.project.row.name, source];
    const synced = await runInProcess([...command, '--base', GUIDES, '--json']);
    expect(synced.code, synced.stderr).to.equal(0);
    expect(synced.stderr)
      .to.include('/shared to ')
      .and.include(`the rule /same to ${GUIDES}/guides/chain is replaced by /same to`);
    expect((JSON.parse(synced.stdout) as { replaced: string[] }).replaced).to.have.length(2);
  });
});
