import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { MappedUrl } from '#src/search/map-old-url.js';
import { GUIDES, GuidesSite } from '../../../support/guides.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const NAMES = ['gitlab', 'slack', 'jira', 'notion', 'zapier'];

describe('redirects map', () => {
  const folder = temporaryFolder();

  it('calls a path gone with the reason, where its folder has other pages, its page was deleted, or nothing says it', async () => {
    const text = 'What it sends, and how to stop it. We answer on GitHub.';
    const pages = NAMES.map((name): [string, [string, string]] => [`/integrations/${name}`, [`Connect ${name}`, text]]);
    const site = await GuidesSite.open(folder, Object.fromEntries(pages));
    await site.project.call('DELETE', '/v1/pages/delete', { url: `${GUIDES}/guides/chain` });
    const file = join(folder, 'old.txt');
    const paths = [
      '/integrations/github',
      '/guides/chain',
      '/zzyzx-qwfp',
      '/guides/brake',
      '/guides',
      '/tyres/flat-tyre',
    ];
    await writeFile(file, paths.join('\n'));
    const { stdout, stderr } = await site.run('map', '--json', file);
    const { rows } = JSON.parse(stdout) as { rows: MappedUrl[] };
    const mapped = new Map(rows.map((row) => [row.old, row]));
    expect([...mapped.keys()], stderr).to.have.members(paths);
    expect(mapped.get('/integrations/github')).to.deep.include({
      new: '',
      action: 'gone',
      second: `${GUIDES}/integrations/gitlab`,
      why: 'pages of its folder are near, none is it',
    });
    expect(mapped.get('/integrations/github')?.score).to.be.within(0.1, 0.35);
    expect(mapped.get('/guides/chain')).to.include({ action: 'gone', why: 'the page was here and was deleted' });
    expect(mapped.get('/zzyzx-qwfp')).to.include({ action: 'gone', why: 'no page says this' });
    expect(mapped.get('/guides/brake')).to.include({ new: `${GUIDES}/guides/brakes`, action: 'redirect' });
    expect(mapped.get('/tyres/flat-tyre')).to.include({ new: `${GUIDES}/guides/flat-tyre`, action: 'redirect' });
    // A folder without a page of its own: a person says which of its pages it is.
    expect(mapped.get('/guides')).to.include({ action: 'review' });
    expect(mapped.get('/guides')?.why).to.include('but it stands below the path');

    // Until somebody imports the sheet, visitors see the page beside it.
    const { body } = await site.project.post('/v1/suggest', {
      path: '/integrations/github',
      options: { searchThreshold: 0.1 },
    });
    expect(body.suggestions[0]).to.include({ url: '/integrations/gitlab' });
    const sheet = join(folder, 'sheet.csv');
    await site.run('map', file, '--out', sheet);
    expect((await site.run('import', sheet)).code).to.equal(0);
    expect(await site.proxy('/integrations/github')).to.equal('410');
    expect(await site.proxy('/guides/brake')).to.equal(`301 ${GUIDES}/guides/brakes`);
  });
});
