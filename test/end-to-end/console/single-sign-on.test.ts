import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import type { Page } from 'playwright-core';
import { inviteUser } from '#src/accounts/invitations.js';
import { PASSWORD, startTestConsole, type TestConsole } from '../../support/console.js';
import { CLIENT, startProvider, type TestProvider } from '../../support/openid.js';
import { cliJson } from '../../support/processes.js';
import { mustStaySecret } from '../../support/said-aloud.js';

mustStaySecret(CLIENT.secret);

describe('single sign-on at an OpenID provider', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let provider: TestProvider;

  before(async () => {
    provider = await startProvider();
    site = await startTestConsole({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_ROLES: 'night shift=viewer,shop=editor@the shop,nowhere=admin@no such project',
    });
    // Not asked before: the console began without it.
    provider.open(site.url);
  });
  after(async () => {
    await site.stop();
    await provider.stop();
  });

  const sql = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await site.service.database.connection.pool.query<Row>(text, values)).rows;

  const audit = async (who: string): Promise<string[]> =>
    (
      await sql<{ entry: string }>(
        `select action || ' ' || subject as entry from pathmend.audit_log where who = $1 order by entry_id`,
        [who],
      )
    ).map(({ entry }) => entry);

  const invite = (email: string, projectId: string | null, role: 'viewer' | 'editor' = 'viewer'): Promise<unknown> =>
    inviteUser(site.service.db, onCommandLine(), {
      email,
      role,
      project: projectId === null ? undefined : { project_id: projectId, name: 'shop' },
    });

  async function logInAt(page: Page, login: string): Promise<void> {
    await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.waitForURL(`${site.url}/**`);
  }

  for (const script of [true, false])
    it(`leads an invited person back to the page that was asked for, ${script ? 'with' : 'without'} script`, async () => {
      const email = `invited-${script}@example.com`;
      const project = await site.newProject();
      await invite(email, project.row.project_id, 'editor');
      provider.accounts.set(`sub-${script}`, { email: email.toUpperCase(), email_verified: true });
      const { page, axe, complaints, close } = await site.tab({ script });
      await page.goto(`${site.url}/account`);
      if (script) expect(await axe()).to.deep.equal([]);
      await logInAt(page, `sub-${script}`);
      expect(page.url()).to.equal(`${site.url}/account`);
      expect(await page.locator('main').textContent())
        .to.include(email)
        .and.include('single sign-on')
        .and.not.include('Change password');
      await page.goto(`${site.url}/`);
      expect(await page.getByRole('table').textContent())
        .to.include(project.row.name)
        .and.include('editor');
      expect((await audit(email)).map((entry) => entry.replace(/ from \S+$/, ''))).to.deep.equal([
        `single sign-on linked sub-${script} of ${provider.issuer}`,
        'invitation accepted editor',
        'logged in by single sign-on',
      ]);
      // The address is another one now: the subject is who counts.
      provider.accounts.set(`sub-${script}`, { email: 'changed@example.com', email_verified: false });
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.waitForURL(`${site.url}/logout`);
      expect(await page.getByRole('link', { name: 'log out there too' }).getAttribute('href')).to.match(
        new RegExp(`^${provider.issuer}/session/end\\?client_id=`),
      );
      await page.goto(`${site.url}/account`);
      // The provider still knows him.
      await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
      await page.waitForURL(`${site.url}/account`);
      expect(await page.locator('main').textContent()).to.include(email);
      // The provider's page asks for a font from elsewhere.
      expect(complaints.filter((text) => !text.includes('ERR_NAME_NOT_RESOLVED'))).to.deep.equal([]);
      await close();
    });

  it('logs out at the provider, too, by the link that is shown', async () => {
    provider.accounts.set('leaver', { email: 'leaver@example.com', email_verified: true });
    await invite('leaver@example.com', null);
    const { page, close } = await site.tab();
    await page.goto(`${site.url}/account`);
    await logInAt(page, 'leaver');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'log out there too' }).click();
    await page.getByRole('button', { name: /yes/i }).click();
    await page.waitForURL(`${site.url}/logout`);
    await page.goto(`${site.url}/login/sso`);
    expect(await page.locator('input[name=login]').count()).to.equal(1);
    await close();
  });

  for (const [what, claims, message] of [
    ['whom nobody invited', { email: 'stranger@example.com', email_verified: true }, 'has no account here'],
    ['whose address is not verified', { email: 'victim@example.com', email_verified: false }, 'is verified'],
    ['of whose address nothing is said', { email: 'victim@example.com' }, 'is verified'],
    ['without an address', {}, 'is verified'],
    ['in a group without a verified address', { email: 'victim@example.com', groups: ['night shift'] }, 'is verified'],
  ] as const)
    it(`lets nobody in ${what}`, async () => {
      await invite('victim@example.com', null, 'editor');
      provider.accounts.set(what, claims);
      const users = await sql('select email from pathmend.users order by 1');
      const { page, axe, close } = await site.tab();
      await page.goto(`${site.url}/account`);
      await logInAt(page, what);
      expect(await page.getByRole('alert').textContent()).to.include(message);
      expect(await axe()).to.deep.equal([]);
      await page.goto(`${site.url}/account`);
      expect(page.url()).to.include('/login');
      expect(await sql('select email from pathmend.users order by 1')).to.deep.equal(users);
      const [refused] = await sql<{ subject: string }>(
        "select subject from pathmend.audit_log where action = 'login refused' order by entry_id desc limit 1",
      );
      expect(refused?.subject).to.include('by single sign-on').and.include(message);
      await close();
    });

  it('does not hand an account over to another subject of the same address', async () => {
    provider.accounts.set('first', { email: 'heir@example.com', email_verified: true });
    provider.accounts.set('second', { email: 'heir@example.com', email_verified: true });
    await invite('heir@example.com', null);
    for (const [login, result] of [
      ['first', 'heir@example.com'],
      ['second', 'linked with another person'],
    ] as const) {
      const { page, close } = await site.tab();
      await page.goto(`${site.url}/account`);
      await logInAt(page, login);
      expect(await page.locator('main').textContent()).to.include(result);
      await close();
    }
  });

  it('gives roles by groups for as long as the session, and takes them away with the group', async () => {
    const shop = await site.newProject();
    await sql(`update pathmend.projects set name = 'the shop' where project_id = $1`, [shop.row.project_id]);
    const other = await site.newProject();
    const member = { email: 'member@example.com', email_verified: true };
    provider.accounts.set('member', { ...member, groups: ['shop', 'nowhere', 'unknown'] });
    const { page, close } = await site.tab();
    await page.goto(`${site.url}/`);
    await logInAt(page, 'member');
    const shown = async (): Promise<string> => (await page.locator('main').textContent()) ?? '';
    expect(await shown())
      .to.include('the shop')
      .and.include('editor')
      .and.not.include(other.row.name);
    expect((await page.goto(`${site.url}/p/${other.row.project_id}`))?.status()).to.equal(404);
    provider.accounts.set('member', { ...member, groups: 'night shift' });
    await page.goto(`${site.url}/login/sso?to=/`);
    expect(await shown())
      .to.include(other.row.name)
      .and.include('viewer')
      .and.not.include('editor');
    provider.accounts.set('member', member);
    await page.goto(`${site.url}/login/sso?to=/`);
    expect(await shown()).to.include('You have no projects yet');
    await close();
  });

  it('puts a disabled or deleted user out at once, and keeps him out', async () => {
    for (const [how, command] of [
      ['disabled', ['update', '--disabled', 'on']],
      ['deleted', ['delete']],
    ] as const) {
      const email = `${how}@example.com`;
      provider.accounts.set(how, { email, email_verified: true });
      await invite(email, null, 'editor');
      const { page, close } = await site.tab();
      await page.goto(`${site.url}/account`);
      await logInAt(page, how);
      expect(await page.locator('main').textContent()).to.include(email);
      const [verb, ...options] = command;
      await cliJson(['user', verb, '--email', email, ...options], site.database.environment);
      await page.goto(`${site.url}/account`);
      expect(page.url()).to.include('/login');
      await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
      const message = how === 'disabled' ? 'This account is disabled.' : 'has no account here';
      expect(await page.getByRole('alert').textContent()).to.include(message);
      await close();
    }
  });

  it('takes no code a second time, not even with the cookie of the first', async () => {
    provider.accounts.set('replayed', { email: 'replayed@example.com', email_verified: true });
    await invite('replayed@example.com', null);
    const { page, context, close } = await site.tab();
    const seen: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/login/callback')) seen.push(request.url());
    });
    await page.goto(`${site.url}/login/sso`);
    const begun = (await context.cookies(site.url)).find(({ name }) => name === '__Host-pathmend-sign-on');
    expect(begun).to.include({ sameSite: 'Lax', httpOnly: true, secure: true });
    await page.locator('input[name=login]').fill('replayed');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.waitForURL(`${site.url}/`);
    expect((await context.cookies(site.url)).map(({ name }) => name)).not.to.include('__Host-pathmend-sign-on');
    const headers = { cookie: `__Host-pathmend-sign-on=${begun?.value ?? ''}` };
    const again = await fetch(seen[0] ?? '', { headers, redirect: 'manual' });
    expect(again.status).to.equal(403);
    expect(await again.text()).to.include('invalid_grant');
    expect(again.headers.getSetCookie().filter((cookie) => cookie.includes('sign-on='))).to.have.length(1);
    await close();
  });

  it('leads back to paths of the console alone', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/%09/evil.example',
      'javascript:1',
    ]) {
      const { page, close } = await site.tab();
      provider.accounts.set('replayed', { email: 'replayed@example.com', email_verified: true });
      await page.goto(`${site.url}/login/sso?to=${encodeURIComponent(to)}`);
      await page.locator('input[name=login]').fill('replayed');
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.waitForURL(`${site.url}/**`);
      expect(new URL(page.url()).origin).to.equal(new URL(site.url).origin);
      await close();
    }
  });

  it('that does not answer holds up nobody: the page says so, and a password works', async () => {
    const hung = await startProvider();
    const other = await startTestConsole({ OIDC_ISSUER: hung.issuer, OIDC_CLIENT_ID: CLIENT.id, DATABASE_POOL: '4' });
    try {
      hung.hang();
      const user = await other.newUser('viewer');
      const { page, close } = await other.tab();
      await page.goto(`${other.url}/audit`);
      const began = performance.now();
      const waiting = Array.from({ length: 12 }, () => fetch(`${other.url}/login/sso`, { redirect: 'manual' }));
      const fields = { email: user.email, password: PASSWORD };
      expect((await user.post('/login/session', fields)).status).to.equal(303);
      expect(performance.now() - began).to.be.below(4_000);
      expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).to.deep.equal(new Set([503]));
      expect(performance.now() - began).to.be.below(10_000);
      await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
      expect(await page.getByRole('alert').textContent()).to.include('does not answer');
      await page.getByLabel('E-mail address').fill(user.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${other.url}/audit`);
      await close();
    } finally {
      await other.stop();
      await hung.stop();
    }
  });
});
