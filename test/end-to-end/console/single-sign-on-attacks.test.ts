import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { inviteUser } from '#src/accounts/invitations.js';
import { PASSWORD, startTestConsole, type TestConsole } from '../../support/console.js';
import { CLIENT, startForger, type Claims, type Forger } from '../../support/openid.js';
import { cliJson } from '../../support/processes.js';

describe('single sign-on, attacked', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let forger: Forger;
  let invited = 0;

  before(async () => {
    forger = await startForger();
    site = await startTestConsole({
      OIDC_ISSUER: forger.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      CONSOLE_PASSWORD_LOGIN: 'off',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  after(async () => {
    await site.stop();
    await forger.stop();
  });

  interface Begun {
    state: string;
    nonce: string;
    cookie: string;
  }

  let address = 0;
  const get = (path: string, cookie = '', from = `192.0.2.${++address}`): Promise<Response> =>
    fetch(site.url + path, { redirect: 'manual', headers: { cookie, 'X-Forwarded-For': from } });

  async function begin(): Promise<Begun> {
    const answer = await get('/login/sso?to=/audit');
    const { searchParams } = new URL(answer.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).to.include({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${site.url}/login/callback`,
    });
    const set = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-pathmend-sign-on='));
    expect(set).to.include('; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600');
    const [state, nonce] = [searchParams.get('state') ?? '', searchParams.get('nonce') ?? ''];
    return { state, nonce, cookie: set?.split(';')[0] ?? '' };
  }

  const now = (): number => Math.floor(Date.now() / 1_000);

  async function honest({ nonce }: Begun): Promise<Claims & { email: string }> {
    const email = `invited${++invited}@example.com`;
    await inviteUser(site.service.db, onCommandLine(), { email, role: 'viewer', project: undefined });
    const times = { iat: now(), exp: now() + 60 };
    return { iss: forger.issuer, aud: CLIENT.id, sub: email, nonce, email, email_verified: true, ...times };
  }

  const logIn = ({ state, cookie }: Begun): Promise<Response> => get(`/login/callback?code=c&state=${state}`, cookie);

  async function sessionOf(answer: Response): Promise<string> {
    // The last one counts: the first is of before the login.
    const [, secret = ''] = /.*__Host-pathmend=([\w-]{43})/s.exec(answer.headers.getSetCookie().join('\n')) ?? [];
    const account = await get('/account', `__Host-pathmend=${secret}`);
    return account.status === 200 ? await account.text() : '';
  }

  it('lets in whom a whole and true answer is about, and sends the verifier with the code', async () => {
    const begun = await begin();
    const claims = await honest(begun);
    forger.idToken = forger.sign(claims);
    const answer = await logIn(begun);
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, `${new URL(site.url).pathname}/audit`]);
    expect(await sessionOf(answer)).to.include(claims.email);
    const tokenRequest = forger.tokenRequests.at(-1);
    expect(tokenRequest?.get('code_verifier')).to.match(/^[\w-]{43}$/);
    expect(tokenRequest?.get('client_secret')).to.equal(CLIENT.secret);
  });

  const { privateKey: another } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const FORGED: Record<string, (claims: Claims) => string> = {
    'with another nonce': (claims) => forger.sign({ ...claims, nonce: 'another' }),
    'without a nonce': (claims) => forger.sign({ ...claims, nonce: undefined }),
    'of another issuer': (claims) => forger.sign({ ...claims, iss: 'https://evil.example' }),
    'for another client': (claims) => forger.sign({ ...claims, aud: 'another' }),
    'for several clients, issued to another': (claims) =>
      forger.sign({ ...claims, aud: [CLIENT.id, 'another'], azp: 'another' }),
    'that has expired': (claims) => forger.sign({ ...claims, iat: now() - 900, exp: now() - 600 }),
    'that is of no time': (claims) => forger.sign({ ...claims, exp: undefined }),
    'without a subject': (claims) => forger.sign({ ...claims, sub: undefined }),
    'with a subject that cannot be stored': (claims) => forger.sign({ ...claims, sub: 'a\0b' }),
    'with a subject without end': (claims) => forger.sign({ ...claims, sub: 'x'.repeat(100_000) }),
    'that is not signed': (claims) => forger.sign(claims, { alg: 'none' }),
    'signed with another key': (claims) => forger.sign(claims, { key: another }),
    'changed after it was signed': (claims) => {
      const [head, , signature] = forger.sign(claims).split('.');
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
      return [head, changed, signature].join('.');
    },
    'that is no token': () => 'no token',
    'larger than memory should hold': (claims) => forger.sign({ ...claims, more: 'x'.repeat(2_000_000) }),
  };
  for (const [what, forge] of Object.entries(FORGED))
    it(`refuses an id token ${what}`, async () => {
      const begun = await begin();
      forger.idToken = forge(await honest(begun));
      await expectRefused(await logIn(begun));
    });

  async function expectRefused(answer: Response): Promise<void> {
    expect(answer.status).to.be.oneOf([403, 503]);
    expect(await answer.text()).to.match(/role="alert"/);
    expect(await sessionOf(answer)).to.equal('');
  }

  const ANSWERS: Record<string, (begun: Begun) => Promise<Response>> = {
    'with another state': ({ cookie }) => get('/login/callback?code=c&state=another', cookie),
    'without a state': ({ cookie }) => get('/login/callback?code=c', cookie),
    'with two states': ({ state, cookie }) => get(`/login/callback?code=c&state=another&state=${state}`, cookie),
    'in a browser that began none': ({ state }) => get(`/login/callback?code=c&state=${state}`),
    'in a browser that began another': async ({ state }) =>
      get(`/login/callback?code=c&state=${state}`, (await begin()).cookie),
    'of another issuer': ({ state, cookie }) =>
      get(`/login/callback?code=c&state=${state}&iss=https://evil.example`, cookie),
    'with an error': ({ state, cookie }) => get(`/login/callback?error=access_denied&state=${state}`, cookie),
    'with a code and script': ({ cookie }) => get('/login/callback?code=<script>&state=%00&error=<b>', cookie),
  };
  for (const [what, answer] of Object.entries(ANSWERS))
    it(`refuses an answer ${what}`, async () => {
      const begun = await begin();
      forger.idToken = forger.sign(await honest(begun));
      await expectRefused(await answer(begun));
    });

  it('counts answers as it counts passwords', async () => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 22; turn++) statuses.push((await get('/login/callback?x', '', '198.51.100.9')).status);
    expect(statuses.slice(0, 20)).to.deep.equal(Array<number>(20).fill(403));
    expect(statuses).to.include(429);
  });

  it('leaves whoever has it no password, unless an operator allows one', async () => {
    const user = await site.newUser('viewer');
    const fields = { email: user.email, password: PASSWORD };
    expect((await user.post('/login/session', fields)).status).to.equal(303);
    const begun = await begin();
    forger.idToken = forger.sign({ ...(await honest(begun)), email: user.email });
    expect(await sessionOf(await logIn(begun))).to.include(user.email);
    const refused = await user.post('/login/session', fields);
    expect([refused.status, refused.text.includes('single sign-on alone')]).to.deep.equal([403, true]);
    const wrong = await user.post('/login/session', { ...fields, password: 'wrong password' });
    expect([wrong.status, wrong.text.includes('single sign-on alone')]).to.deep.equal([400, false]);
    const allow = ['user', 'update', '--email', user.email, '--password-login', 'on'];
    await cliJson(allow, site.database.environment);
    expect((await user.post('/login/session', fields)).status).to.equal(303);
  });

  it('does not let an invitation set a password for somebody who has none', async () => {
    const begun = await begin();
    const { email, ...claims } = await honest(begun);
    forger.idToken = forger.sign({ ...claims, email });
    expect(await sessionOf(await logIn(begun))).to.include(email);
    const project = await site.newProject();
    const admin = await site.newUser('admin', project);
    const { secret } = await inviteUser(
      site.service.db,
      { ...onCommandLine(), userId: admin.userId },
      { email, role: 'viewer', project: project.row },
    );
    expect((await admin.get(`/invitation/${secret}`)).text).not.to.include('type="password"');
    const fields = { password: 'set by somebody else', again: 'set by somebody else' };
    expect((await admin.post(`/invitation/${secret}/accept`, fields)).status).to.equal(403);
  });
});
