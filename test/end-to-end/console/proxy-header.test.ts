import { request as ask } from 'node:http';
import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { inviteUser } from '#src/accounts/invitations.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';

describe('the header of a proxy', function () {
  this.timeout(120_000);
  let site: TestConsole;

  before(async () => {
    site = await startTestConsole({
      HOST: '0.0.0.0',
      CONSOLE_PROXY_HEADER: 'X-Forwarded-Email',
      CONSOLE_PROXY_ADDRESSES: '127.0.0.9, 127.1.0.0/16, ::1',
      TRUSTED_PROXIES: '127.0.0.0/8',
    });
  });
  after(() => site.stop());

  interface Answer {
    status: number;
    location: string;
    text: string;
    session: string;
  }

  /** Asks from an address of this machine: all of 127.0.0.0/8 is. */
  function from(
    localAddress: string,
    path: string,
    headers: Record<string, string | string[]>,
    { method = 'GET', body = '' } = {},
  ): Promise<Answer> {
    const { port, pathname } = new URL(site.url);
    const target = { host: '127.0.0.1', port, path: pathname + path, method, localAddress, headers };
    return new Promise((done, failed) => {
      const request = ask(target, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          const set =
            answer.headers['set-cookie']?.filter((cookie) => cookie.startsWith('__Host-pathmend=')).at(-1) ?? '';
          const { statusCode: status = 0, headers: answered } = answer;
          done({ status, location: answered.location ?? '', text, session: set.split(';')[0] ?? '' });
        });
      });
      request.on('error', failed).end(body);
    });
  }

  const NAMED = '127.0.0.9';
  const header = ({ email }: Pick<TestUser, 'email'>): Record<string, string> => ({ 'X-Forwarded-Email': email });
  const refusals = async (): Promise<string[]> =>
    (
      await site.service.database.connection.pool.query<{ subject: string }>(
        "select subject from pathmend.audit_log where action = 'login refused' order by entry_id",
      )
    ).rows.map(({ subject }) => subject);

  it('logs in whom a named proxy names, and the session goes on beside the same header', async () => {
    const user = await site.newUser('viewer');
    for (const address of [NAMED, '127.1.2.3']) {
      const first = await from(address, '/account', header(user));
      expect(first.status).to.equal(200);
      expect(first.text).to.include(user.email).and.include('your proxy');
      const next = await from(address, '/account', { ...header(user), cookie: first.session });
      expect([next.status, next.session]).to.deep.equal([200, '']);
      expect((await from(address, '/login?to=/audit', header(user))).location).to.match(/\/audit$/);
    }
  });

  it('of another address is believed by nobody, whatever X-Forwarded-For says', async () => {
    const admin = await site.newUser('admin');
    const claims: Record<string, string>[] = [
      {},
      { 'X-Forwarded-For': NAMED },
      { Forwarded: `for=${NAMED}` },
      { 'X-Real-IP': NAMED },
    ];
    for (const more of claims) {
      const answer = await from('127.0.0.1', '/account', { ...header(admin), ...more });
      expect(answer.location).to.include('/login');
    }
    expect((await refusals()).at(-1)).to.include('x-forwarded-email from 127.0.0.1, which CONSOLE_PROXY_ADDRESSES');
    // The others' passwords and sessions are as good as ever.
    expect((await from('127.0.0.1', '/account', { ...header(admin), cookie: admin.cookie })).status).to.equal(200);
  });

  it('that a visitor writes beside that of a real proxy is refused with it', async () => {
    const [user, admin] = [await site.newUser('viewer'), await site.newUser('admin')];
    for (const value of [
      [admin.email, user.email],
      [user.email, admin.email],
      `${admin.email}, ${user.email}`,
      `${admin.email},${user.email}`,
      'no address',
      `${admin.email}\tx`,
    ])
      expect((await from(NAMED, '/account', { 'X-Forwarded-Email': value })).location).to.include('/login');
    const other = { ...header(user), X_Forwarded_Email: admin.email, 'X-Forwarded-User': admin.email };
    expect((await from(NAMED, '/account', other)).text)
      .to.include(user.email)
      .and.not.include(admin.email);
  });

  it("decides whose page it is: a session is nobody's without it or beside another's", async () => {
    const [firstUser, two] = [await site.newUser('viewer'), await site.newUser('viewer')];
    const { session } = await from(NAMED, '/account', header(firstUser));
    expect((await from(NAMED, '/account', { cookie: session })).location).to.include('/login');
    expect((await from('127.0.0.1', '/account', { ...header(firstUser), cookie: session })).location).to.include(
      '/login',
    );
    const changed = await from(NAMED, '/account', { ...header(two), cookie: session });
    expect(changed.text).to.include(two.email).and.not.include(firstUser.email);
    expect(changed.session).not.to.equal(session);
  });

  it('lets nobody in who has no account or is disabled, and says so', async () => {
    const stranger = await from(NAMED, '/login', header({ email: 'stranger@example.com' }));
    expect(stranger.text).to.include('stranger@example.com has no account here');
    expect((await from(NAMED, '/account', header({ email: 'stranger@example.com' }))).location).to.include('/login');
    const user = await site.newUser('viewer');
    const { session } = await from(NAMED, '/account', header(user));
    await site.service.database.connection.pool.query(
      'update pathmend.users set disabled_at = now() where user_id = $1',
      [user.userId],
    );
    const now = await from(NAMED, '/account', { ...header(user), cookie: session });
    expect(now.location).to.include('/login');
    expect((await from(NAMED, '/login', header(user))).text).to.include('This account is disabled.');
    expect((await refusals()).at(-1)).to.include('disabled');
  });

  it('accepts the open invitation to its address', async () => {
    const email = 'invited@example.com';
    await inviteUser(site.service.db, onCommandLine(), { email, role: 'editor', project: undefined });
    expect((await from(NAMED, '/account', header({ email: 'Invited@Example.com' }))).text).to.include('editor');
  });

  it('opens no form without its token, and no session by a form', async () => {
    const user = await site.newUser('viewer');
    const { session } = await from(NAMED, '/account', header(user));
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const post = { method: 'POST', body: 'form_token=x' };
    const logout = await from(NAMED, '/logout/session', { ...header(user), ...type, cookie: session }, post);
    expect(logout.status).to.equal(403);
    const foreign = { ...header(user), ...type, 'Sec-Fetch-Site': 'cross-site' };
    expect((await from(NAMED, '/logout/session', foreign, post)).status).to.equal(403);
    expect((await from(NAMED, '/account/password', { ...header(user), ...type }, post)).status).to.equal(403);
    expect((await from(NAMED, '/account', { ...header(user), cookie: session })).session).to.equal('');
  });

  it('is set only with the addresses that may send it, and what needs single sign-on with that', () => {
    for (const [settings, message] of [
      [{ CONSOLE_PROXY_HEADER: 'X-Forwarded-Email' }, 'needs CONSOLE_PROXY_ADDRESSES'],
      [{ CONSOLE_PROXY_HEADER: 'X-Forwarded-Email', CONSOLE_PROXY_ADDRESSES: '0.0.0.0/0' }, 'your proxies alone'],
      [{ CONSOLE_PROXY_ADDRESSES: '10.0.0.1' }, 'needs CONSOLE_PROXY_HEADER'],
      [{ CONSOLE_PROXY_HEADER: 'a b', CONSOLE_PROXY_ADDRESSES: '10.0.0.1' }, 'name of a header'],
      [{ CONSOLE_PASSWORD_LOGIN: 'off' }, 'needs OIDC_ISSUER or CONSOLE_PROXY_HEADER'],
      [{ OIDC_ISSUER: 'http://login.example.com', OIDC_CLIENT_ID: 'x' }, 'begins with https://'],
      [{ OIDC_ISSUER: 'https://login.example.com' }, 'needs OIDC_CLIENT_ID'],
      [{ OIDC_CLIENT_SECRET: 'hidden-from-all' }, 'need OIDC_ISSUER'],
      [{ OIDC_SCOPES: 'email' }, 'must have openid'],
      [{ OIDC_ISSUER: 'https://l.example', OIDC_CLIENT_ID: 'x', OIDC_ROLES: 'staff=owner' }, 'GROUP=ROLE@PROJECT'],
    ] as const)
      expect(faultsOf(settings)).to.include(message).and.not.include('hidden-from-all');
  });
});

function faultsOf(settings: Record<string, string>): string {
  try {
    parseConfig(settings);
    return 'none';
  } catch (error) {
    return String(error);
  }
}
