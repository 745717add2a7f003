import { expect } from 'chai';
import { listUsers } from '#src/accounts/store/users.js';
import { startTestConsole, type TestConsole } from '../../support/console.js';
import { cliJson, runCli } from '../../support/processes.js';
import { startMailServer } from '../../support/smtp-receiver.js';

const NEW_PASSWORD = 'quite long enough now';

describe('an invitation', function () {
  this.timeout(120_000);
  let site: TestConsole;

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());

  /** Invites a user by the command line; returns the url that the command prints. */
  async function invite(email: string, ...more: string[]): Promise<string> {
    const environment = { ...site.database.environment, CONSOLE_URL: site.url };
    const { url } = (await cliJson(['user', 'invite', '--email', email, ...more], environment)) as { url: string };
    return url;
  }

  it('from the command line makes an account in the browser, once', async () => {
    const project = await site.newProject();
    const url = await invite('Ann@Example.com', '--role', 'editor', '--project', project.row.name);
    const { page, axe, complaints, close } = await site.tab({ width: 360 });
    await page.goto(url);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('You are invited');
    expect(await page.locator('main').textContent())
      .to.include('ann@example.com')
      .and.include(project.row.name);
    expect(await axe()).to.deep.equal([]);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByLabel('Repeat the password').fill('something else altogether');
    await page.getByRole('button', { name: 'Accept' }).click();
    expect(await page.locator('#again-problem').textContent()).to.equal('The passwords do not match.');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByLabel('Repeat the password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.waitForURL(`${site.url}/`);
    expect(await page.getByRole('status').textContent()).to.include('You are logged in');
    expect(await page.getByRole('table').textContent())
      .to.include(project.row.name)
      .and.include('editor');
    await page.goto(url);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Not found');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('is mailed where the server sends mail, and its link works; without it, an admin sends the link', async () => {
    const server = await startMailServer('pathmend', 'mail password');
    const SMTP_URL = server.url;
    const mailing = await startTestConsole({ SMTP_URL, MAIL_FROM: 'pathmend <pathmend@example.com>' });
    try {
      const project = await mailing.newProject();
      const admin = await mailing.newUser('admin', project);
      const settings = `/p/${project.row.project_id}/settings`;
      await admin.post(`${settings}/invite`, { email: 'Bob@example.com', role: 'editor' });
      const [mail] = server.received;
      expect(mail?.to).to.deep.equal(['bob@example.com']);
      expect(mail?.headers['subject']).to.include(`You are invited to ${project.row.name}`);
      const link = /https?:\S+\/invitation\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
      expect(await (await fetch(link)).text())
        .to.include('You are invited')
        .and.include('bob@example.com');
      const refused = await admin.post(`${settings}/invite`, { email: 'nobody@example.com', role: 'editor' });
      expect(refused.status).to.equal(303);
      expect(server.received).to.have.length(1);
    } finally {
      await mailing.stop();
      await server.stop();
    }
  });

  it('of the operator sets a new password, and ends the sessions of the old one', async () => {
    const user = await site.newUser('viewer');
    expect((await user.get('/account')).status).to.equal(200);
    const { page, close } = await site.tab({ script: false });
    await page.goto(await invite(user.email, '--role', 'admin'));
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByLabel('Repeat the password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.waitForURL(`${site.url}/`);
    expect((await user.get('/account')).headers.get('location')).to.include('/login');
    await close();
  });

  it('is refused with a reason where the address, the role or CONSOLE_URL is none', async () => {
    const ask = async (args: string[], settings: Record<string, string> = {}): Promise<string> => {
      const { code, stderr } = await runCli(['user', 'invite', ...args], { ...site.database.environment, ...settings });
      expect(code).to.equal(1);
      return stderr;
    };
    expect(await ask(['--email', 'nobody', '--role', 'admin'])).to.include('--email: This is not an e-mail address');
    expect(await ask(['--email', 'a@example.com', '--role', 'king'])).to.include('viewer, editor, admin');
    expect(await ask(['--email', 'a@example.com', '--role', 'admin', '--project', 'none'])).to.include('no project');
    expect(
      await ask(['--email', 'a@example.com', '--role', 'admin'], {
        CONSOLE_URL: 'http://pathmend.example.com/console',
      }),
    ).to.include('CONSOLE_URL must begin with https://');
  });

  it('is shown in a list of users, and a user who is deleted is logged out', async () => {
    const user = await site.newUser('viewer');
    const users = await listUsers(site.service.database.connection.db);
    expect(users.find(({ email }) => email === user.email)).to.include({ role: 'viewer', projects: 0 });
    const listed = (await cliJson(['user', 'list'], site.database.environment)) as { email: string; role: string }[];
    expect(listed.find(({ email }) => email === user.email)).to.include({ role: 'viewer' });
    await cliJson(['user', 'delete', '--email', user.email], site.database.environment);
    expect((await user.get('/account')).status).to.equal(303);
  });
});
