import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { sharedService } from '../../support/shared-service.js';

describe('what docs/api.md says, typed', () => {
  it('sends a batch and gets the answers that it shows, and lists the pages', async () => {
    const project = await sharedService().newProject();
    const typed = async (heading: string): Promise<unknown> => {
      const [block = ''] = await shellBlocks('docs/api.md', heading);
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
    const { pages } = (await typed('Which pages are there')) as { pages: { url: string }[] };
    expect(pages.map(({ url }) => url)).to.deep.equal(['https://www.example.com/help/returns']);
  });
});
