import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';

describe('a dead path with a version', () => {
  it('finds the page of that version although no word is the same, and among many pages', async function () {
    this.timeout(60_000);
    const project = await sharedService().newProject();
    const otherPaths = Array.from({ length: 100 }, (_, i) => `/announcing-1.${i % 10}.${20 + i}/`);
    const pages = ['/announcing-1.1.11/', '/announcing-1.11.1/', '/announcing-11.1.1/', ...otherPaths].map((path) => ({
      url: `https://mesh.example${path}`,
      content: 'What changed, and why.',
    }));
    const { status, body } = await project.post('/v1/pages/batch', { pages });
    expect(status, JSON.stringify(body)).to.equal(200);
    await project.indexed();
    for (const path of ['/notes/1.1.11', '/notes/1-1-11.html', '/notes/v1_1_11/']) {
      const answer = await project.post('/v1/suggest', { path, limit: 3, options: { searchThreshold: 0 } });
      expect(answer.body.suggestions[0]?.url, path).to.equal('/announcing-1.1.11/');
    }
  });
});
