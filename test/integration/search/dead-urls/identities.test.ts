import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { changeRules } from '#src/rules/change-rules.js';
import { packageRoot } from '#src/base/package-root.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

interface Page {
  url: string;
  title: string;
  content: string;
}

async function withPages(file: string): Promise<TestProject> {
  const text = await readFile(join(packageRoot(), 'test/fixtures/identities', file), 'utf8');
  return withAll(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Page),
  );
}

async function withAll(pages: readonly Page[]): Promise<TestProject> {
  const project = await sharedService().newProject();
  for (let at = 0; at < pages.length; at += 8)
    await Promise.all(pages.slice(at, at + 8).map((page) => project.upsert(page)));
  await project.indexed();
  return project;
}

async function statusOf(project: TestProject, path: string): Promise<string> {
  const { status, headers } = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(path)}`);
  return `${status} ${headers.get('location') ?? ''}`.trim();
}

describe('a page that is asked for itself', () => {
  let project: TestProject;

  before(async () => {
    project = await withPages('twins.jsonl');
  });

  it('is left out with its share: nobody is redirected to the page after it', async () => {
    for (const path of ['/projects/qrs-417', '/reports/2023', '/s/aB3', '/item?id=7&fbclid=1'])
      expect(await statusOf(project, path), path).to.equal('404');
    // An encoded slash is no url of the page's own: the page is redirected to.
    expect(await statusOf(project, '/show%2Finfo%2Fhow-to-replace-a-fan')).to.match(
      /^302 .*\/show\/info\/how-to-replace-a-fan$/,
    );
  });

  it('keeps its share of suggest and of a question where the caller leaves it out', async () => {
    for (const [route, body] of [
      ['/v1/suggest', { path: '/show/info/how-to-replace-a-fan' }],
      ['/v1/semantic-search', { query: 'How do I replace a fan?' }],
    ] as const) {
      const scores = async (excludeUrls: string[]): Promise<Record<string, number>> => {
        const answer = await project.post(route, { ...body, limit: 100, options: { searchThreshold: 0, excludeUrls } });
        const suggestions = answer.body.suggestions as { url: string; score: number }[];
        return Object.fromEntries(suggestions.map(({ url, score }) => [url, score]));
      };
      const { '/show/info/how-to-replace-a-fan': pageScore, ...otherScores } = await scores([]);
      expect(pageScore, route).to.be.a('number');
      expect(await scores(['/show/info/how-to-replace-a-fan']), route).to.deep.equal(otherScores);
    }
  });
});

describe('a page that contradicts the number, date, version, code or id of a path', () => {
  let project: TestProject;

  before(async () => {
    project = await withPages('only-one.jsonl');
  });

  const DEAD = `/projects/qrs-617 /projects/qrs-4170 /reports/2022 /jobs/driver-m-f-2023
    /blog/2019/03/12/kiln-primer-part-4 /blog/2019/03/12/kiln-primer-part-two`.split(/\s+/);

  it('is never redirected to, though no other page is like it', async () => {
    for (const path of DEAD) expect(await statusOf(project, path), path).to.equal('404');
  });

  it('is suggested below the default threshold', async () => {
    for (const path of DEAD) {
      const { body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0 } });
      const [best] = body.suggestions as { url: string; score: number }[];
      expect(best?.score, path).to.be.above(0.1).and.below(0.7);
    }
  });

  it('is redirected to where a rule of the path says so', async () => {
    const { service } = sharedService();
    const rule = { path: '/reports/2022', action: 'redirect', target: '/reports/2023' } as const;
    await changeRules({ ...service.deps, db: service.db }, project.row.project_id, [rule], onCommandLine('Ann'));
    expect(await statusOf(project, '/reports/2022')).to.equal('301 https://www.example.com/reports/2023');
    expect(await statusOf(project, '/reports/2021')).to.equal('404');
  });
});
