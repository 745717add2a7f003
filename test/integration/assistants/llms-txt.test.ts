import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const PAGES = [
  { url: 'https://shop.example/help/returns', title: 'Returns', metadata: { description: 'How to send\nit back' } },
  { url: 'https://shop.example/', title: 'Shop' },
  { url: 'https://shop.example/pens/gold_nib?v=[1]' },
  { url: 'https://shop.example/Help/hours', title: 'Opening *hours*', metadata: { description: { de: 'x' } } },
];

describe('GET /v1/llms.txt', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    for (const page of PAGES) await project.upsert({ content: 'All about it.', ...page });
    await project.indexed();
  });

  it('lists the pages by section, in the order of their paths, with the descriptions of their metadata', async () => {
    const { status, text, headers } = await project.call('GET', '/v1/llms.txt');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(text).to.equal(`# ${project.row.name}

## Pages

- [Shop](<https://shop.example/>)

## Help

- [Opening \\*hours\\*](<https://shop.example/Help/hours>)
- [Returns](<https://shop.example/help/returns>): How to send it back

## Pens

- [Gold nib](<https://shop.example/pens/gold_nib?v=[1]>)
`);
  });

  it('lists one section, in any case, and so many pages at most, and says that there are more', async () => {
    for (const section of ['/HELP/', 'help', 'https://shop.example/help/']) {
      const help = (await project.call('GET', `/v1/llms.txt?section=${section}`)).text;
      expect(help.match(/^- /gm), section).to.have.length(2);
      expect(help).not.to.include('There are more');
    }
    for (const section of ['/help/x', `/help/${'y'.repeat(300)}`])
      expect((await project.call('GET', `/v1/llms.txt?section=${section}`)).text).not.to.match(/^- /m);
    const two = (await project.call('GET', '/v1/llms.txt?limit=2')).text;
    expect(two.match(/^- /gm)).to.have.length(2);
    expect(two).to.include('> The first 2 pages in the order of their paths. There are more.');
  });

  it('has a heading alone where the project has no page', async () => {
    const empty = await sharedService().newProject();
    expect((await empty.call('GET', '/v1/llms.txt')).text).to.equal(`# ${empty.row.name}\n`);
  });

  it('ends before a million characters, whatever the pages are called', async () => {
    const large = await sharedService().newProject();
    const pages = Array.from({ length: 400 }, (_, i) => ({
      url: `https://shop.example/${String(i).padStart(4, '0')}${'x'.repeat(1_900)}`,
      title: '*'.repeat(900),
      content: 'x',
    }));
    for (let from = 0; from < pages.length; from += 100)
      expect((await large.post('/v1/pages/batch', { pages: pages.slice(from, from + 100) })).status).to.equal(200);
    await large.indexed();
    const { text } = await large.call('GET', '/v1/llms.txt?limit=5000');
    const listed = text.match(/^- /gm)?.length ?? 0;
    expect(listed).to.be.within(300, 399);
    expect(text).to.include(`> The first ${listed} pages in the order of their paths. There are more.`);
  });

  it('names the parameter that is wrong', async () => {
    for (const [query, message] of [
      ['section=', 'section must be a path of at most'],
      ['limit=0', 'limit must be a whole number from 1 to 5000'],
      ['section=/%00', 'section must not contain the character U+0000'],
    ] as const) {
      const { status, body } = await project.call('GET', `/v1/llms.txt?${query}`);
      expect(status).to.equal(400);
      expect(body.error.message).to.include(message);
    }
  });
});
