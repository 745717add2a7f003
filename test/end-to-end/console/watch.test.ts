import { expect } from 'chai';
import { changeAlerts } from '#src/watch/send-alerts.js';
import { clickThrough } from '../../support/browser.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import type { TestProject } from '../../support/service.js';
import { deliveries, OWN_MAIL, OWN_NETWORK, watchDeps } from '../../support/watch.js';
import { documentedCheck, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

describe('Watch in the console', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let there: WebhookReceiver;
  let project: TestProject;
  let admin: TestUser;

  before(async () => {
    site = await startTestConsole({ ...OWN_NETWORK, ...OWN_MAIL });
    there = await startReceiver();
  });
  after(async () => {
    await there.stop();
    await site.stop();
  });
  beforeEach(async () => {
    project = await site.newProject();
    admin = await site.newUser('admin', project);
  });

  const path = (): string => `/p/${project.row.project_id}/watch`;
  const audit = (): Promise<{ action: string; subject: string }[]> =>
    project.query('select action, subject from pathmend.audit_log where about_project = $1 order by entry_id');

  for (const script of [true, false])
    it(`is set up, tried and changed ${script ? 'with' : 'without'} script`, async () => {
      const { page, complaints, axe, close } = await admin.tab({ script, width: 360 });
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(site.url + path());
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('E-mail addresses').fill('not one');
      await page.getByRole('button', { name: 'Save' }).click();
      expect(await page.getByRole('alert').textContent()).to.include('This is not an e-mail address');
      await page.getByLabel('E-mail addresses').fill('');
      await page.getByLabel('Webhook').fill(there.url);
      await page.getByLabel('Pages that could not be indexed').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      const secret = await page.getByLabel('Value to copy').inputValue();
      mustStaySecret(secret);
      await clickThrough(page.getByRole('button', { name: 'Send a test message' }));
      await deliveries(site.service, project, 'delivered', 1);
      await page.reload();
      const row = page.getByRole('table', { name: 'Messages' }).locator('tbody tr');
      expect((await row.allTextContents()).join().replace(/\s+/g, ' ')).to.match(/^Test ?Webhook ?Delivered ?1/);
      const last = there.received.at(-1);
      expect((await documentedCheck())(secret, last?.headers ?? {}, last?.text ?? '')).to.equal(true);
      expect(await page.getByLabel('Pages that could not be indexed').isChecked()).to.equal(false);
      expect(await page.content()).not.to.include(secret);
      await page.getByRole('button', { name: 'Create a new secret' }).click();
      const renewed = await page.getByLabel('Value to copy').inputValue();
      mustStaySecret(renewed);
      expect(renewed)
        .to.match(/^whsec_/)
        .and.not.equal(secret);
      if (script) expect(await axe()).to.deep.equal([]);
      const { name } = project.row;
      expect(await audit()).to.deep.equal([
        { action: 'watch changed', subject: name },
        { action: 'webhook secret renewed', subject: name },
      ]);
      expect(complaints.filter((complaint) => !complaint.includes('400'))).to.deep.equal([]);
      await close();
    });

  it('shows alerts to a viewer, and to nobody but admins who is told', async () => {
    await admin.post(`${path()}/save`, { emails: 'ann@example.com', webhook_url: there.url, alerts: 'dead_target' });
    const script = '<script>document.title="owned"</script>';
    const cause = { path: `/old/${script}`, target: `https://shop.example/${script}`, why: 'deleted' as const };
    await changeAlerts(watchDeps(site.service), project.row.project_id, 'dead_target', [{ key: 'a', cause }]);
    for (const role of ['viewer', 'editor'] as const) {
      const user = await site.newUser(role, project);
      const { status, text } = await user.get(path());
      expect(status).to.equal(200);
      expect(text).to.include('/old/&lt;script&gt;').and.not.include('<script>document');
      expect(text).not.to.include('ann@example.com').and.not.include(there.url.slice(0, 20));
      for (const action of ['save', 'test', 'new-secret'])
        expect((await user.post(`${path()}/${action}`)).status, `${role} ${action}`).to.equal(403);
    }
    const { text } = await admin.get(path());
    expect(text).to.include('ann@example.com').and.not.include('whsec_');
  });

  it('names the field of what cannot be stored, and keeps what was filled in', async () => {
    for (const [fields, reason] of [
      [{ webhook_url: 'http://10.0.0.1/' }, 'not public'],
      [{ webhook_url: 'nonsense' }, 'not a webhook url'],
      [{ emails: 'ann@example.com\r\nBcc: x' }, 'not an e-mail address'],
      [{ emails: Array.from({ length: 11 }, (_, i) => `${i}@example.com`).join() }, '10 addresses at most'],
    ] as const) {
      const { status, text } = await admin.post(`${path()}/save`, fields);
      expect(status, reason).to.equal(400);
      expect(text).to.include(reason).and.include('aria-invalid="true"');
    }
    const { status, text } = await admin.post(`${path()}/test`);
    expect([status, text.includes('Alerts have no receiver yet')]).to.deep.equal([400, true]);
  });
});
