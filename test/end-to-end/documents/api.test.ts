import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { crawled } from '../../support/crawled.js';
import { sharedService } from '../../support/shared-service.js';

describe('what docs/reference/api.md says, typed', () => {
  it('asks as an assistant does, for a tool and for llms.txt', async () => {
    const project = await sharedService().newProject();
    const url = 'https://www.example.com/help/returns';
    await project.upsert({ url, title: 'Returns', content: 'How to send a parcel back, and when your money arrives.' });
    await project.indexed();
    const blocks = await shellBlocks('docs/reference/api.md', 'Assistants');
    const printed = await Promise.all(
      blocks.map((block) =>
        typeBlock(block.replace('http://127.0.0.1:8080', sharedService().service.url), {
          cwd: packageRoot(),
          env: { PATH: process.env['PATH'] ?? '', KEY: project.key },
        }),
      ),
    );
    const [called, listed] = printed.map(({ stdout }) => stdout);
    const score = /"score":([\d.]+)/.exec(called ?? '')?.[1] ?? '';
    const document = await readFile(join(packageRoot(), 'docs/reference/api.md'), 'utf8');
    const shown = /```\n(event: message\n.*\n)```/.exec(document)?.[1] ?? '';
    expect(called?.trim()).to.equal(shown.replaceAll('0.9312', score).trim());
    expect(listed).to.equal(`# ${project.row.name}\n\n## Help\n\n- [Returns](<${url}>)\n`);
  });

  it('makes a rule, tries it and lists it', async () => {
    const project = await sharedService().newProject({ scopes: ['rules'] });
    const [block = ''] = await shellBlocks('docs/reference/rules.md', 'Rules by API');
    const { stdout, stderr, code } = await typeBlock(
      block.replaceAll('http://127.0.0.1:8080', sharedService().service.url).replaceAll('\ncurl', '\necho\ncurl'),
      { cwd: packageRoot(), env: { PATH: process.env['PATH'] ?? '', RULES_KEY: project.key } },
    );
    expect(code, stderr).to.equal(0);
    const [made, tried, listed] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, Record<string, unknown>[]>);
    expect(made?.['rules']?.[0]).to.include({ outcome: 'created' });
    expect(tried?.['answers']?.[0]?.['rule']).to.include({ match: 'pattern', code: 302, host: 'old.example.com' });
    expect(listed?.['rules']).to.have.length(1);
  });

  it('sends a batch and gets the answers that it shows, lists the pages, and the broken links', async () => {
    const project = await sharedService().newProject();
    const typed = async (heading: string): Promise<unknown> => {
      const [block = ''] = await shellBlocks('docs/reference/api.md', heading);
      const finished = await typeBlock(block.replace('http://127.0.0.1:8080', sharedService().service.url), {
        cwd: packageRoot(),
        env: { PATH: process.env['PATH'] ?? '', KEY: project.key },
      });
      expect(finished.code, finished.stderr).to.equal(0);
      return JSON.parse(finished.stdout) as unknown;
    };
    const { results } = (await typed('Many pages at once')) as { results: Record<string, unknown>[] };
    expect(results[0]?.['page_id']).to.match(/^[0-9a-f]{24}$/);
    expect(results.map((result) => ({ ...result, page_id: undefined }))).to.deep.equal([
      {
        url: 'https://www.example.com/help/returns',
        status: 'PENDING_VECTORIZATION',
        action: 'created',
        page_id: undefined,
      },
      {
        url: '/help',
        page_id: undefined,
        error: {
          code: 'invalid_request',
          message: 'Missing required parameter: pages.1.content',
          param: 'pages.1.content',
        },
      },
      {
        url: 'https://www.example.com/help/old-returns',
        page_id: undefined,
        error: { code: 'not_found', message: 'The project has no page with this url.', param: 'delete.0' },
      },
    ]);
    await project.indexed();
    const { pages } = (await typed('List pages')) as { pages: { url: string }[] };
    expect(pages.map(({ url }) => url)).to.deep.equal(['https://www.example.com/help/returns']);
    const [link, on] = ['https://www.example.com/help/retruns', 'https://www.example.com/help/'];
    await crawled(sharedService(), project, { [link]: [on] });
    const { links } = (await typed('Broken links')) as { links: { url: string; pages: string[] }[] };
    expect(links.map(({ url, pages: have }) => [url, have])).to.deep.equal([[link, [on]]]);
  });
});
