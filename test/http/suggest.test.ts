import { expect } from 'chai';
import { sharedService } from '../support/shared-service.js';
import type { TestProject } from '../support/service.js';

describe('POST /v1/suggest', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: 'https://shop.example/help/returns/return-an-item?lang=en',
      content: 'Send an item back within thirty days. Print the return label, pack the item and hand the parcel in.',
      metadata: { section: 'help' },
    });
    await project.upsert({ url: 'https://shop.example/about/opening-hours', content: 'The shop opens at nine and closes at six, on Saturdays at four.', title: 'Opening hours' });
    await project.indexed();
  });

  it('names the page of a mistyped path first, with url path, title and metadata', async () => {
    const { status, body } = await project.post('/v1/suggest', { path: '/help/retruns/retrun-an-item.html' });
    expect(status).to.equal(200);
    expect(body.suggestions[0]).to.deep.include({
      url: '/help/returns/return-an-item?lang=en',
      title: 'Return an item',
      metadata: { section: 'help' },
    });
    expect(body.search_id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  });
});
