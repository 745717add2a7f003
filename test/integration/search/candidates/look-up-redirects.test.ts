import { expect } from 'chai';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { listRuleRows } from '#src/rules/store/rules.js';
import { deleteRules } from '#src/rules/store/store-rules.js';
import { lookUpRedirects } from '#src/search/candidates/follow-rules.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { indexVersionOf, pushPages, redirect, sectionsOf } from '../../../support/learned-redirects.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('what the redirects of a project say of a dead path', () => {
  const folder = temporaryFolder();
  let project: TestProject;
  let pages: Map<string, string>;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const push = async (...paths: string[]): Promise<void> => {
    pages = await pushPages(project, ...paths);
  };

  const redirects = (...lines: string[]) => redirect(sharedService().service, project, folder, ...lines);

  /** Evidence by the path of the page. */
  async function lookUp(path: string, of = project): Promise<Record<string, number>> {
    const { service } = sharedService();
    const indexVersion = await indexVersionOf(service, of);
    const foundRedirects = await lookUpRedirects({ ...service.deps.tenants.of(of.row.project_id), indexVersion }, path);
    const paths = new Map([...pages].map(([page, id]) => [id, page]));
    return Object.fromEntries(
      [...foundRedirects.moved].map(([id, value]) => [paths.get(id) ?? id, Number(value.toFixed(3))]),
    );
  }

  it('a redirected path, however it is written, has evidence 1 for its page and none for another', async () => {
    await push('/new/x', '/other/x');
    await redirects('/old/x /new/x', '/old/y /other/x');
    for (const path of ['/old/x', '/Old/X.html?utm=1#top', 'https://shop.example/old/x/']) {
      expect(await lookUp(path), path).to.deep.equal({ '/new/x': 1 });
    }
  });

  it('/old/y follows when /old/x became /new/x, with growing confidence', async () => {
    await push('/new/x', '/new/y', '/new/z');
    await redirects('/old/x /new/x');
    expect(await lookUp('/old/z')).to.deep.equal({ '/new/z': 0.83 });
    await redirects('/old/y https://shop.example/new/y');
    expect(await lookUp('/OLD/z.php')).to.deep.equal({ '/new/z': 0.86 });
    expect(await lookUp('/old/w'), 'no such page').to.deep.equal({});
    expect(await lookUp('/older/z'), 'another section').to.deep.equal({});
  });

  it('pages are theirs only when they are indexed, and of the same project', async () => {
    await push('/new/x', '/new/y');
    await redirects('/old/x /new/x');
    const other = await sharedService().newProject();
    expect(await lookUp('/old/y', other)).to.deep.equal({});
    await project.query(
      'delete from pathmend.indexed_pages where project_id = $1 and page_id = $2',
      pages.get('/new/y'),
    );
    expect(await lookUp('/old/y')).to.deep.equal({});
    expect(await lookUp('/old/x')).to.deep.equal({ '/new/x': 1 });
  });

  it('a page with a trailing slash and one without are both found', async () => {
    await push('/new/x', '/new/y', '/new/y/');
    await redirects('/old/x /new/x');
    expect(await lookUp('/old/y')).to.deep.equal({ '/new/y': 0.83, '/new/y/': 0.83 });
  });

  it("a later redirect takes an earlier one's place; what is no page of the project is kept out", async () => {
    await push('/new/x', '/newer/x');
    expect(
      await redirects('/old/x /new/x', '/old/gone /nowhere', '/old/away https://elsewhere.example/new/x'),
    ).to.deep.equal({
      created: 2,
      updated: 0,
      unchanged: 0,
      gone: 0,
      review: 0,
      without_page: [{ line: 2, reason: 'the project has no page /nowhere; the redirect waits for it' }],
      bad: [],
      replaced: [],
      overwritten: [],
      not_read: [],
      ignored: 0,
    });
    expect(await redirects('/old/x /newer/x')).to.include({ created: 0, updated: 1, unchanged: 0 });
    expect(await lookUp('/old/x')).to.deep.equal({ '/newer/x': 1 });
    expect(await sectionsOf(sharedService().service, project)).to.deep.equal(['/old → /newer']);
  });

  it('the index version grows when something was learned, and not when nothing was', async () => {
    await push('/new/x', '/new/y');
    const version = (): Promise<number> => indexVersionOf(sharedService().service, project);
    const before = await version();
    await redirects('/old/x /new/x');
    const learned = await version();
    expect(learned).to.be.above(before);
    await redirects('/old/x /new/x');
    expect(await version()).to.equal(learned);
  });

  it('redirects come back with their page, and what they showed about its section', async () => {
    await push('/new/x', '/new/y');
    await redirects('/old/x /new/x', '/who /new/x', '/later /not/yet');
    const rows = (): Promise<string[]> =>
      listRuleRows(sharedService().service.db, project.row.project_id, {}, undefined, 10).then((all) =>
        all.map(
          ({ path, target, active }) =>
            `${path} ${target?.replace('https://shop.example', '')} ${active ? 'active' : 'waits'}`,
        ),
      );
    expect(await rows()).to.deep.equal(['/later /not/yet waits', '/old/x /new/x active', '/who /new/x active']);
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/new/x' });
    expect(await rows()).to.deep.equal(['/later /not/yet waits', '/old/x /new/x waits', '/who /new/x waits']);
    expect(await lookUp('/old/x')).to.deep.equal({});
    await until(
      'its section move is forgotten',
      async () => (await sectionsOf(sharedService().service, project)).length === 0,
    );

    expect(await lookUp('/old/y')).to.deep.equal({});
    await push('/new/x', '/not/yet');
    expect(await rows()).to.deep.equal(['/later /not/yet active', '/old/x /new/x active', '/who /new/x active']);
    expect(await lookUp('/old/x')).to.deep.equal({ '/new/x': 1 });
    expect(await lookUp('/later')).to.deep.equal({ '/not/yet': 1 });
    await until(
      'its section move is known again',
      async () => (await sectionsOf(sharedService().service, project)).join() === '/old → /new',
    );
  });

  it('a redirect that waits is replaced by a later one, and deleted', async () => {
    await push('/new/x', '/new/y');
    await redirects('/old/x /new/x');
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/new/x' });
    await redirects('/old/x /new/y', '/old/z /new/z');
    await push('/new/x', '/new/y');
    expect(await lookUp('/old/x'), 'replaced').to.deep.equal({ '/new/y': 1 });
    const { db } = sharedService().service;
    await inTransaction(db, (trx) => deleteRules(trx, project.row.project_id, [pathKey('/old/z')]));
    await push('/new/z');
    expect(await lookUp('/old/z')).to.deep.equal({});
    expect((await listRuleRows(db, project.row.project_id, {}, undefined, 10)).map(({ path }) => path)).to.deep.equal([
      '/old/x',
    ]);
  });

  it('a redirect that waits is for a page of its host only', async () => {
    await push('/new/y');
    await redirects('/old/x https://other.example/new/x');
    await push('/new/x');
    expect(await lookUp('/old/x')).to.deep.equal({});
    await project.upsert({ url: 'https://other.example/new/x', content: 'The other one.' });
    await project.indexed();
    expect(Object.values(await lookUp('/old/x'))).to.deep.equal([1]);
  });
});
