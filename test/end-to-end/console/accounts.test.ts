import { expect } from 'chai';
import { createPasswords } from '#src/accounts/credentials.js';
import { SESSION_DAYS, SESSION_IDLE_HOURS } from '#src/accounts/store/sessions.js';
import { MAX_FAILED_LOGINS } from '#src/accounts/store/users.js';
import { PASSWORD, startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { clickThrough } from '../../support/browser.js';

describe('accounts of the console', function () {
  this.timeout(120_000);
  let site: TestConsole;

  before(async () => {
    site = await startTestConsole({ TRUSTED_PROXIES: '127.0.0.1' });
  });
  after(() => site.stop());

  let lastAddress = 0;

  /** Logs in, by default from an address that no other login has; returns the status and the message. */
  async function logIn(user: TestUser, password: string, address = `192.0.2.${++lastAddress}`): Promise<string> {
    const { status, text } = await user.post(
      '/login/session',
      { email: user.email, password },
      { headers: { 'X-Forwarded-For': address } },
    );
    return `${status} ${/role="alert"><p>(.*?)<\/p>/.exec(text)?.[1] ?? ''}`.trim();
  }

  const sql = (text: string, values: unknown[]): Promise<unknown> =>
    site.service.database.connection.pool.query(text, values);

  it('have to wait after some wrong passwords, even with the right one, and longer each time', async () => {
    const user = await site.newUser('viewer');
    const refused =
      '400 E-mail address or password is not right. After five wrong passwords an account has to wait a while.';
    const tries = Array.from({ length: MAX_FAILED_LOGINS }, () => logIn(user, 'wrong password'));
    expect(new Set(await Promise.all(tries))).to.deep.equal(new Set([refused]));
    expect(await logIn(user, PASSWORD)).to.equal(refused);
    const waitsFor = async (): Promise<number> => {
      const { rows } = await site.service.database.connection.pool.query<{ s: number }>(
        'select round(extract(epoch from locked_until - now()))::int as s from pathmend.users where user_id = $1',
        [user.userId],
      );
      return rows[0]?.s ?? 0;
    };
    expect(await waitsFor()).to.be.within(50, 60);
    const wait = (): Promise<unknown> =>
      sql(`update pathmend.users set locked_until = now() where user_id = $1`, [user.userId]);
    await wait();
    expect(await logIn(user, 'wrong password')).to.equal(refused);
    expect(await waitsFor()).to.be.within(110, 120);
    await wait();
    expect(await logIn(user, PASSWORD)).to.equal('303');
    expect(await logIn(user, 'wrong password')).to.equal(refused);
    expect(await logIn(user, PASSWORD)).to.equal('303');
  });

  it('are not to be told from addresses that have none', async () => {
    const user = await site.newUser('viewer');
    const stranger = { ...user, email: 'nobody@example.com' };
    expect(await logIn(stranger, PASSWORD)).to.equal(await logIn(user, 'wrong password'));
  });

  it('cannot be tried without end from one address, whoever they are', async () => {
    const user = await site.newUser('viewer');
    const answers: string[] = [];
    // An invalid e-mail address is refused at once. Slow logins would last until the limit of a minute allows more.
    for (let turn = 0; turn < 25; turn++) answers.push(await logIn({ ...user, email: 'x' }, PASSWORD, '198.51.100.7'));
    expect(answers.filter((answer) => answer.startsWith('429')).length).to.be.within(1, 5);
    expect(await logIn(user, PASSWORD, '198.51.100.7')).to.match(/^429 Too many logins were tried/);
    expect(await logIn(user, PASSWORD, '198.51.100.8')).to.equal('303');
  });

  it('begin a session of their own at each login, which the cookie from before it does not share', async () => {
    const user = await site.newUser('viewer');
    const planted = await user.post('/login/session', { email: user.email, password: PASSWORD });
    const secret = /__Host-pathmend=([\w-]{43})/.exec(planted.headers.get('set-cookie') ?? '')?.[1] ?? '';
    expect(user.cookie).not.to.include(secret);
    const { rows } = await site.service.database.connection.pool.query<{ all: string }>(
      "select string_agg(s::text, ',') as all from pathmend.sessions s where user_id = $1",
      [user.userId],
    );
    expect(rows[0]?.all).not.to.include(secret);
  });

  for (const [what, change] of [
    [
      'when nothing was asked in them for long',
      `last_seen_at = now() - interval '${SESSION_IDLE_HOURS} hours 1 second'`,
    ],
    ['some days after the login', `created_at = now() - interval '${SESSION_DAYS} days 1 second'`],
  ] as const)
    it(`end their sessions ${what}`, async () => {
      const user = await site.newUser('viewer');
      expect((await user.get('/')).status).to.equal(200);
      await sql(`update pathmend.sessions set ${change} where user_id = $1`, [user.userId]);
      expect((await user.get('/')).status).to.equal(303);
    });

  it('change their password in the browser, which ends their other sessions', async () => {
    const user = await site.newUser('viewer');
    const { page, axe, complaints, close } = await site.tab();
    await page.goto(`${site.url}/login`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await clickThrough(page.getByRole('button', { name: 'Log in' }));
    await page.goto(`${site.url}/account`);
    expect(await axe()).to.deep.equal([]);
    await page.getByLabel('Current password').fill('not my password');
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    expect(await page.locator('#old-problem').textContent()).to.equal('This is not your password.');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    expect(await page.getByRole('status').textContent()).to.include('Password changed');
    expect((await user.get('/')).status).to.equal(303);
    expect(await logIn(user, 'another long password')).to.equal('303');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('store passwords by scrypt with salt and parameters; too many logins at once are refused, and nothing else waits', async () => {
    const passwords = createPasswords();
    const [firstHash, two] = await Promise.all([passwords.hash(PASSWORD, 'a'), passwords.hash(PASSWORD, 'a')]);
    expect(firstHash)
      .to.match(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
      .and.not.equal(two);
    expect(await passwords.matches(PASSWORD, firstHash, 'a')).to.equal(true);
    expect(await passwords.matches(`${PASSWORD}!`, firstHash, 'a')).to.equal(false);
    expect(await passwords.matches(PASSWORD, 'scrypt$1$1$1$x$y', 'a').catch(() => false)).to.equal(false);
    const flood = await Promise.allSettled(
      Array.from({ length: 60 }, () => passwords.matches(PASSWORD, firstHash, 'flood')),
    );
    expect(flood.filter(({ status }) => status === 'rejected').length).to.be.above(20);
    expect(await passwords.matches(PASSWORD, firstHash, 'another')).to.equal(true);
  });
});
