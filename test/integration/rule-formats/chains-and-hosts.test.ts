import { expect } from 'chai';
import { GUIDES, GuidesSite } from '../../support/guides.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('what an export follows as live answers do', () => {
  const folder = temporaryFolder();

  it('a chain over a wildcard that leads below itself, over one that is left out, and over a pattern', async () => {
    const site = await GuidesSite.open(folder, {
      '/docs/b/a': ['First steps', 'What to do on the first day with it.'],
      '/shop/7': ['A bell', 'It rings when it is hit with the thumb.'],
    });
    await site.import(
      '/a /docs/a',
      '/docs/* /docs/b/:splat',
      '/c /b/brakes',
      '/b/* /guides/:splat/',
      '/d /p-7.html',
      '/p-:id.html /shop/:id',
      '/e /gone-7',
      '/gone-:id 410',
    );
    const ends = { '/a': '/docs/b/a', '/c': '/guides/brakes', '/d': '/shop/7' };
    for (const [path, end] of Object.entries(ends))
      expect(await site.proxy(path), path).to.equal(`301 ${GUIDES}${end}`);
    const { code, stdout, stderr } = await site.run('export', '--format', 'nginx');
    expect(code, stderr).to.equal(3);
    expect(stderr).to.include('shadows pages: /docs/*').and.not.include('dead target');
    for (const [path, end] of Object.entries(ends))
      expect(stdout, path).to.include(`location = "${path}" { return 301 "${end}"; }`);
    expect(await site.proxy('/e')).to.equal('410');
    expect(stdout).to.include('location = "/e" { return 410; }');
  });

  it('patterns that lead round in a circle are named and left out; live they are no rule', async () => {
    const site = await GuidesSite.open(folder);
    await site.import(
      '/r/* /s/:splat/',
      '/s/* /r/:splat/',
      '/t/:id /t/:id/',
      '/u/* /u/x/:splat/',
      '/ok/* /guides/:splat/',
    );
    for (const path of ['/r/zzz', '/t/zzz', '/u/zzz']) expect(await site.proxy(path), path).to.equal('404');
    const { stdout, stderr } = await site.run('export', '--format', 'caddy');
    for (const path of ['/r/*', '/s/*', '/t/:id', '/u/*']) expect(stderr).to.include(`loop: ${path}`);
    expect(stdout.match(/redir /g)).to.have.length(1);
  });

  it('a path of several hosts leads to the host of the pages there, or its rule is left out by name', async () => {
    const site = await GuidesSite.open(folder);
    for (const url of ['https://docs.example.com/guide/a', 'https://docs.example.com/both/a', `${GUIDES}/both/b`])
      await site.project.upsert({ url, title: `A page at ${url}`, content: `The text of the page at ${url}.` });
    await site.project.indexed();
    await site.import(
      '/handbook/*.php /guide/:splat',
      '/h2/* /guide/:splat',
      '/h3/* /guide/:splat/',
      '/h4/* /guide/a',
      '/h5/* /both/:splat',
      '/h6/*.php /both/:splat',
      '/h7/* /nowhere/:splat',
    );
    for (const path of ['/handbook/a.php', '/h2/a', '/h3/a', '/h4/x'])
      expect(await site.proxy(path), path).to.equal('301 https://docs.example.com/guide/a');
    const { code, stdout, stderr } = await site.run('export', '--format', 'nginx');
    expect(code, stderr).to.equal(3);
    expect(stdout.match(/return 301 "[^"]*"/g)?.sort()).to.deep.equal([
      'return 301 "https://docs.example.com/guide/$1"',
      'return 301 "https://docs.example.com/guide/$1"',
      'return 301 "https://docs.example.com/guide/$1/"',
      'return 301 "https://docs.example.com/guide/a"',
    ]);
    for (const path of ['/h5/*', '/h6/*.php', '/h7/*']) expect(stderr).to.include(`several hosts: ${path}: `);
  });
});
