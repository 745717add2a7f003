import { query, sql } from '#src/platform/database/sql.js';
import { expect } from 'chai';
import { PAGES } from '#src/console/server.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { addSyncRun } from '#src/sync/store/run-turns.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import type { TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

const PAGE = { url: 'https://a.example/one', title: 'One', content: 'One page about grinders.' };

/** Names of fields that forms of the console have. */
const FIELDS = [
  ...'name email mode scopes expires role user key password old again to emails webhook_url alerts one row'.split(' '),
  ...'bulk path target action code host query text format do proposal change input kind url'.split(' '),
];

describe('the console, attacked', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let other: TestProject;
  let admin: TestUser;
  let pageOfOther = '';

  before(async () => {
    site = await startTestConsole();
    [project, other] = [await site.newProject(), await site.newProject()];
    await project.upsert(PAGE);
    pageOfOther = (await other.upsert(PAGE)).body.page_id;
    admin = await site.newUser('admin', project);
    await Promise.all([project.indexed(), other.indexed()]);
  });
  after(() => site.stop());

  /** Every action of every page, with these in the places of its path. */
  function actionPaths(of: TestProject, pageId = 'f'.repeat(24)): string[] {
    const fill = (path: string): string =>
      path.replace(':project', of.row.project_id).replace(':secret', 'x'.repeat(43)).replace(/:\w+/, pageId);
    return PAGES.flatMap(({ path, actions }) => Object.keys(actions).map((name) => `${fill(path)}/${name}`));
  }

  const isOfProject = (path: string): boolean => path.startsWith('/p/');

  it('does nothing for a form without its token, or with that of another session', async () => {
    const before = await everything();
    const paths = actionPaths(project);
    expect(paths).to.include(`/p/${project.row.project_id}/settings/create-key`);
    for (const path of paths)
      for (const token of ['', 'x'.repeat(43)]) {
        const { status, text } = await admin.post(path, {}, { token });
        expect(status, path).to.equal(403);
        expect(text).to.include('earlier session');
      }
    expect(await everything()).to.equal(before);
  });

  it('does nothing for a form that another site sent, even with its token', async () => {
    const before = await everything();
    const sentBy: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': '', Origin: 'null' },
    ];
    for (const path of actionPaths(project))
      for (const headers of sentBy) {
        const { status, text } = await admin.post(path, {}, { headers });
        expect(status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
        expect(text).to.include('another site');
      }
    expect(await everything()).to.equal(before);
  });

  it("shows and changes nothing of another's project: there is none", async () => {
    const before = await everything();
    const { project_id: id, name } = other.row;
    for (const path of actionPaths(other, pageOfOther).filter(isOfProject))
      expect((await admin.post(path, { name: 'x', scopes: 'read', mode: 'live' })).status, path).to.equal(404);
    for (const project of [id, name])
      for (const { path } of PAGES.filter((page) => isOfProject(page.path))) {
        const place = path.replace(':project', encodeURIComponent(project)).replace(/:\w+/, pageOfOther);
        const { status, text } = await admin.get(`${place}?input=/one&path=/one&format=csv&csv=missing-paths`);
        expect(status, place).to.equal(404);
        expect(text).not.to.include(name).and.not.include('grinders');
      }
    expect((await admin.get('/')).text).not.to.include(name);
    expect(await everything()).to.equal(before);
  });

  it("knows no page, key or member of another's project in its own", async () => {
    const projectPath = `/p/${project.row.project_id}`;
    const keys = await query(sql<{ key_id: string }>`
      select key_id from pathmend.api_keys where project_id = ${other.row.project_id}`).rows(site.service.db);
    const member = await site.newUser('editor', other);
    const before = await everything();
    expect((await admin.get(`${projectPath}/pages/${pageOfOther}`)).status).to.equal(404);
    for (const action of ['reindex', 'delete'])
      expect((await admin.post(`${projectPath}/pages/${pageOfOther}/${action}`)).status, action).to.equal(404);
    for (const action of ['rotate-key', 'revoke-key'])
      expect((await admin.post(`${projectPath}/settings/${action}`, { key: keys[0]?.key_id ?? '' })).status).to.equal(
        404,
      );
    for (const action of ['change-role', 'remove-member'])
      expect(
        (await admin.post(`${projectPath}/settings/${action}`, { user: member.userId, role: 'admin' })).status,
        action,
      ).to.equal(404);
    expect(await everything()).to.equal(before);
  });

  it("decides about no proposal, undoes no change and shows no sync of another project's in its own", async () => {
    const projectPath = `/p/${project.row.project_id}`;
    const { project_id: id } = other.row;
    const editorOfOther = await site.newUser('editor', other);
    await editorOfOther.post(`/p/${id}/redirects/edit/save`, { path: '/of-other', action: 'gone' });
    const { pool } = site.service.database.connection;
    const proposal = 'ab'.repeat(32);
    await pool.query(
      `insert into pathmend.rule_proposals
         (project_id, rule_key, path, target, source, support, contradictions, confidence, evidence, paths, requests, examples, proposed_at)
       values ($1, decode($2, 'hex'), '/cups/*', '/mugs/:splat', 'redirects', 6, 0, 0.9, '[]', 1, 1, '[]', now())`,
      [id, proposal],
    );
    const run = await inTransaction(site.service.db, (trx) =>
      addSyncRun(trx, id, {
        source: 'https://secret.example/',
        prune: false,
        dryRun: false,
        preview: false,
        by: 'command line',
        at: new Date(),
        begins: true,
      }),
    );
    const { rows } = await pool.query<{ change_id: number }>(
      'select change_id from pathmend.rule_changes where project_id = $1',
      [id],
    );
    expect(rows).to.have.length(1);
    const change = String(rows[0]?.change_id);
    const before = await everything();
    const own_changes = await pool.query('select from pathmend.rule_changes where project_id = $1', [
      project.row.project_id,
    ]);
    expect(own_changes.rowCount).to.equal(0);
    for (const what of ['confirm', 'reject']) {
      const { status } = await admin.post(`${projectPath}/redirects/proposals/decide`, { proposal, do: what });
      expect(status, what).to.equal(404);
    }
    for (const path of ['redirects/history/undo', 'inbox/undo']) {
      const { status } = await admin.post(`${projectPath}/${path}`, { change });
      expect(status, path).to.be.within(400, 404);
    }
    const { status, text } = await admin.get(`${projectPath}/pages/syncs/${run}`);
    expect(status).to.equal(404);
    expect(text).not.to.include('secret.example');
    expect((await admin.get(`${projectPath}/pages/syncs`)).text).not.to.include('secret.example');
    expect(await everything()).to.equal(before);
    expect((await editorOfOther.get(`/p/${id}/pages/syncs/${run}`)).text).to.include('secret.example');
  });

  it('lets a viewer change nothing, and an editor no key, setting or member', async () => {
    const [viewer, editor] = [await site.newUser('viewer', project), await site.newUser('editor', project)];
    const before = await everything();
    for (const path of actionPaths(project).filter(isOfProject)) {
      expect((await viewer.post(path)).status, path).to.equal(403);
      if (/\/(?:settings|watch)\//.test(path)) expect((await editor.post(path)).status, path).to.equal(403);
    }
    expect(await everything()).to.equal(before);
    const { text } = await viewer.get(`/p/${project.row.project_id}/settings`);
    expect(text).not.to.include('pm_live').and.not.include('Create key').and.not.include('Create a key');
  });

  it('sends whoever is not logged in to the login, and after it to no other site', async () => {
    for (const path of ['/', '/audit', '/account', `/p/${project.row.project_id}/pages`]) {
      const { status, headers } = await site.newUser(null).then(() => fetchPlain(path));
      expect(status).to.equal(303);
      expect(headers.get('location')).to.equal(`/console/login?to=${encodeURIComponent(path)}`);
    }
    for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a\nb']) {
      const { text } = await fetchPlain(`/login?to=${encodeURIComponent(to)}`);
      expect(text).to.include('name="to" value="/"');
    }
  });

  it('shows script in titles, urls, reasons, names and queries as text', async () => {
    const script = '<script>document.title="owned"</script><img src=x onerror=alert(1)>"\'';
    const { body } = await project.upsert({ url: `https://a.example/?q=${script}`, title: script, content: script });
    await project.indexed();
    await site.service.database.connection.pool.query(
      `update pathmend.pages set status = 'ERROR', error = $1 where page_id = $2`,
      [script, body.page_id],
    );
    const projectPath = `/p/${project.row.project_id}`;
    expect(
      (
        await admin.post(`${projectPath}/settings/create-key`, {
          name: script,
          scopes: 'read',
          mode: 'live',
          expires: 'never',
        })
      ).status,
    ).to.equal(303);
    const { page, complaints, close } = await admin.tab();
    const encodedScript = encodeURIComponent(script);
    for (const path of [
      `${projectPath}/pages`,
      `${projectPath}/pages?url=${encodedScript}&status=${encodedScript}&after=${encodedScript}`,
      `${projectPath}/pages/${String(body.page_id)}`,
      `${projectPath}/pages/${encodedScript}`,
      `${projectPath}/try?input=${encodedScript}&kind=${encodedScript}&threshold=${encodedScript}`,
      `${projectPath}/try?input=${encodedScript}&kind=query`,
      `${projectPath}/settings`,
      `/audit?before=${encodedScript}`,
      `/login?to=${encodedScript}`,
      `/invitation/${encodedScript}`,
      `/${encodedScript}`,
    ]) {
      const answer = await page.goto(site.url + path);
      expect(answer?.status(), path).to.be.below(500);
      expect(await page.title(), path).not.to.equal('owned');
      expect(await page.locator('main script, main img').count(), path).to.equal(0);
    }
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('shows script in paths, referrers, user agents and questions as text, wherever they come up', async () => {
    const script = '<script>document.title="owned"</script><img/src=x/onerror=alert(1)>"\'';
    const attacked = await site.newProject();
    const projectPath = `/p/${attacked.row.project_id}`;
    await attacked.upsert({ url: 'https://shop.example/ok', title: script, content: `grinders ${script}` });
    await attacked.indexed();
    await miss(
      site,
      attacked,
      { path: `/${script}`, times: 2, referrer: `https://shop.example/${script}`, userAgent: script },
      { path: `/a/${script}`, referrer: `https://evil.example/${script}` },
    );
    const question = `grinders ${script}`;
    await attacked.post('/v1/semantic-search', { query: question, options: { searchThreshold: 0 } });
    await attacked.post('/v1/suggest', { path: `/${script}`, options: { searchThreshold: 0 } });
    const editor = await site.newUser('admin', attacked);
    const pool = site.service.database.connection.pool;
    const refusals = JSON.stringify([{ where: script, reason: script }]);
    await pool.query(
      `insert into pathmend.sync_runs (project_id, source, prune, dry_run, asked_by, began_at, ended_at, outcome, problem, refusals, left_out)
       values ($1, $2, false, false, 'a', now(), now(), 'incomplete', $2, $3, jsonb_build_object($2::text, 1))`,
      [attacked.row.project_id, script, refusals],
    );
    await pool.query(
      `insert into pathmend.alerts (project_id, kind, cause_hash, cause, began_at) values ($1, 'page_error', '', $2, now())`,
      [attacked.row.project_id, JSON.stringify({ url: script, error: script })],
    );
    await editor.post(`${projectPath}/redirects/edit/save`, {
      path: `/a/${script}`,
      action: 'redirect',
      target: '/ok',
    });
    await editor.post(`${projectPath}/redirects/edit/save`, {
      path: `/b/${script}`,
      action: 'redirect',
      target: `/${script}`,
    });
    const { rows } = await pool.query<{ page_id: string; run_id: string }>(
      `select p.page_id, r.run_id from pathmend.pages p join pathmend.sync_runs r using (project_id) where project_id = $1`,
      [attacked.row.project_id],
    );
    const [storedRow] = rows;
    await until('the question is stored', async () =>
      (await editor.get(`${projectPath}/pages/${storedRow?.page_id ?? ''}`)).text.includes('grinders &lt;script&gt;'),
    );
    const { page, complaints, close } = await editor.tab();
    for (const path of [
      '/',
      '/audit',
      ...[
        '',
        '/inbox',
        `/inbox/choose?path=${encodeURIComponent(`/${script}`)}`,
        '/redirects',
        '/redirects/check',
        '/redirects/dry-run',
        '/redirects/history',
        '/analytics',
        `/analytics?prefix=${encodeURIComponent(script)}&visitors=${encodeURIComponent(script)}`,
        '/analytics/redirects',
        '/analytics/links',
        '/analytics/searches',
        '/watch',
        '/pages/syncs',
        `/pages/syncs/${storedRow?.run_id ?? ''}`,
        `/pages/${storedRow?.page_id ?? ''}`,
      ].map((end) => projectPath + end),
    ]) {
      const answer = await page.goto(site.url + path);
      expect(answer?.status(), path).to.equal(200);
      expect(await page.title(), path).not.to.equal('owned');
      expect(await page.locator('main script, main img').count(), path).to.equal(0);
      // Not shown at all would prove nothing.
      if (!/\/(?:audit|searches|redirects\/history)$|\/p\/[^/]*$/.test(path) && path !== '/')
        expect(await page.locator('main').innerHTML(), path).to.match(/&lt;script|%3Cscript/i);
    }
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('answers odd input with a client error, never 500', async () => {
    const projectPath = `/p/${project.row.project_id}`;
    const odd = ['\0', '\ud800', 'x'.repeat(5_000), '%', '🙂', ' ', '-1', '1e999', '../..', "'"];
    for (const value of odd) {
      const encodedText = encodeURIComponent(value.toWellFormed());
      for (const path of [
        `/p/${encodedText}/pages`,
        `${projectPath}/pages?url=${encodedText}&status=${encodedText}&after=${encodedText}`,
        `${projectPath}/pages/${encodedText}`,
        `${projectPath}/try?input=${encodedText}&threshold=${encodedText}`,
        `/audit?before=${encodedText}`,
        `/invitation/${encodedText}`,
      ])
        expect((await admin.get(path)).status, path.slice(0, 80)).to.be.below(500);
      for (const path of actionPaths(project).filter((actionPath) => !actionPath.startsWith('/logout'))) {
        const { status } = await admin.post(path, Object.fromEntries(FIELDS.map((name) => [name, value])));
        expect(status, `${path} with ${JSON.stringify(value.slice(0, 20))}`).to.be.below(500);
      }
    }
    const raw = await fetchPlain('/%E0%A4%A');
    expect(raw.status).to.be.below(500);
  });

  it('sends every page with headers that let nothing else in, and keep it out of caches and frames', async () => {
    for (const path of ['/', '/audit', '/nothing-here', `/p/${project.row.project_id}/settings`]) {
      const { headers } = await admin.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).to.match(/^default-src 'none'; style-src 'nonce-\S{24}'; script-src 'nonce-\S{24}'; /);
      expect(policy).to.include("frame-ancestors 'none'").and.include("form-action 'self'").and.not.include('unsafe');
      expect(headers.get('referrer-policy')).to.equal('same-origin');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('cache-control')).to.equal('no-store');
    }
    const cookie = (await fetchPlain('/login')).headers.get('set-cookie') ?? '';
    expect(cookie).to.match(/^__Host-pathmend=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax/);
  });

  async function fetchPlain(path: string): Promise<{ status: number; headers: Headers; text: string }> {
    const response = await fetch(site.url + path, { redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** All that a change would change, as one text. */
  async function everything(): Promise<string> {
    const { pool } = site.service.database.connection;
    const tables = [
      ...['projects', 'api_keys', 'pages', 'users', 'memberships', 'invitations', 'audit_log', 'watches'],
      ...['learned_redirects', 'rules', 'rule_changes', 'rule_proposals', 'sync_runs'],
    ];
    const texts: string[] = [];
    for (const name of tables) {
      const ignored = name === 'api_keys' ? " - 'last_used_at'" : name === 'users' ? " - 'last_login_at'" : '';
      const { rows } = await pool.query<{ all: string }>(
        `select coalesce(string_agg((to_jsonb(t)${ignored})::text, e'\\n' order by to_jsonb(t)::text), '') as all from pathmend.${name} t`,
      );
      texts.push(rows[0]?.all ?? '');
    }
    return texts.join('\n');
  }
});
