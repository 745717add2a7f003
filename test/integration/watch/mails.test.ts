import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { updateProject } from '#src/projects/store/projects.js';
import { testWatch, changeWatch } from '#src/watch/change-watch.js';
import { changeAlerts } from '#src/watch/send-alerts.js';
import { rejection } from '../embedding/rejection.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { startMailServer, type MailReceiver, type ReceivedMail } from '../../support/smtp-receiver.js';
import { until } from '../../support/until.js';
import { CHANNELS, deliveries, look, storeMissed, watch, watchDeps } from '../../support/watch.js';

const HOUR = 3_600_000;
const MONDAY = Date.parse('2026-10-19T00:00:00Z');

describe('mails of alerts', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let there: MailReceiver;
  const password = `p@ss:w/o?r&d# ${randomUUID()}`;

  before(async () => {
    mustStaySecret(password);
    mustStaySecret(encodeURIComponent(password));
    there = await startMailServer('alerts', password);
    test = await startTestService({
      SMTP_URL: there.url,
      MAIL_FROM: 'pathmend <pathmend@mail.example>',
      CONSOLE_URL: 'https://tools.example/console/',
    });
  });
  after(async () => {
    await test.stop();
    await there.stop();
  });
  beforeEach(async () => {
    project = await test.newProject();
    there.received.length = 0;
  });

  async function mail(): Promise<ReceivedMail> {
    await until('the mail is there', () => there.received.length > 0);
    return there.received[0] as ReceivedMail;
  }

  it('come from MAIL_FROM to the addresses, with a link to the console, as text and as HTML', async () => {
    await watch(test.service, project, {
      addresses: { email: ['Ann@Example.com', 'bob@example.com', 'ann@example.com'] },
    });
    await testWatch(watchDeps(test.service), project.row.project_id);
    const { from, to, headers, text, html } = await mail();
    const [delivery] = await deliveries(test.service, project, 'delivered', 1);
    expect([from, to]).to.deep.equal(['pathmend@mail.example', ['ann@example.com', 'bob@example.com']]);
    expect(headers).to.include({
      from: 'pathmend <pathmend@mail.example>',
      to: 'ann@example.com, bob@example.com',
      subject: `[${project.row.name}] A test`,
      'message-id': `<${String(delivery?.delivery_id)}@mail.example>`,
      'auto-submitted': 'auto-generated',
    });
    const link = `https://tools.example/console/p/${project.row.project_id}/watch`;
    expect(text).to.equal(
      `A test\n\nAlerts of this project arrive here.\n\nOpen the console: ${link}\n\n` +
        `You get this because your address is named under Watch of the project ${project.row.name}.`,
    );
    expect(html).to.include(`<a href="${link}">Open the console</a>`);
  });

  it('keep what others wrote out of headers, addresses and HTML', async () => {
    await updateProject(test.service.db, project.row.project_id, {
      name: `Shop\r\nBcc: thief@evil.example\r\n\r\n<script>alert(1)</script> ${randomUUID()}`,
    });
    await watch(test.service, project, { addresses: { email: ['ann@example.com'] } });
    const path =
      '/x\r\nBcc: thief@evil.example\r\n\r\n<script>alert(2)</script><img src=x onerror=alert(3)>\u202egnp.exe';
    const error = '.\r\n.\r\nMAIL FROM:<thief@evil.example>';
    const deadTargets = [
      { key: 'a', cause: { path, target: 'https://shop.example/"><script>', why: 'deleted' as const } },
      { key: 'b', cause: { path: '.', target: 'javascript:alert(1)', why: 'error' as const } },
    ];
    await changeAlerts(watchDeps(test.service), project.row.project_id, 'dead_target', deadTargets);
    const first = await mail();
    const pages = [{ key: 'c', cause: { url: 'https://shop.example/x', error } }];
    await changeAlerts(watchDeps(test.service), project.row.project_id, 'page_error', pages);
    await until('both are there', () => there.received.length === 2);
    for (const { to, headers, html, raw } of there.received) {
      expect(to).to.deep.equal(['ann@example.com']);
      expect(headers).not.to.have.any.keys('bcc', 'cc');
      expect(headers['to']).to.equal('ann@example.com');
      expect(html)
        .to.include('&lt;script&gt;alert(1)')
        .and.not.match(/<script|<img|href="javascript/i);
      expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.to.match(/\r\n(?:bcc|<script)/i);
    }
    expect(first.text).to.include('\ufffd\ufffdBcc: thief@evil.example');
    expect(first.text + first.html).not.to.include('\u202e');
    expect(there.received[1]?.text).to.include('MAIL FROM:<thief@evil.example>');
  });

  it('take no address that is more than one, or a header', async () => {
    for (const email of [
      'a@example.com\r\nBcc: b@example.com',
      'a@example.com, b@example.com',
      'Ann <a@example.com>',
      '"a b"@example.com',
      'a@example.com>',
      '@example.com',
      'no address',
      `${'a'.repeat(250)}@example.com`,
    ]) {
      const refused = await rejection(
        changeWatch(watchDeps(test.service), project.row.project_id, { addresses: { email: [email] } }, CHANNELS),
        Error,
      );
      expect(refused, email).to.include({ param: 'emails', status: 400 });
    }
    const many = Array.from({ length: 11 }, (_, i) => `${i}@example.com`);
    const refused = await rejection(
      changeWatch(watchDeps(test.service), project.row.project_id, { addresses: { email: many } }, CHANNELS),
      Error,
    );
    expect(refused.message).to.equal('10 addresses at most.');
  });

  it('that the server refuses are tried again, and the reason is kept where admins see it', async () => {
    await watch(test.service, project, { addresses: { email: ['nobody@example.com'] } });
    await testWatch(watchDeps(test.service), project.row.project_id);
    await until('it was tried', async () => (await deliveries(test.service, project, 'waiting', 1))[0]?.error !== null);
    expect((await deliveries(test.service, project, 'waiting', 1))[0]?.error).to.include('There is no such mailbox');
  });

  it('reach the others where the server refuses one, and say whom', async () => {
    await watch(test.service, project, { addresses: { email: ['ann@example.com', 'nobody@example.com'] } });
    await testWatch(watchDeps(test.service), project.row.project_id);
    const [delivery] = await deliveries(test.service, project, 'delivered', 1);
    expect(delivery?.error).to.equal('Refused by the mail server: nobody@example.com.');
    expect((await mail()).to).to.deep.equal(['ann@example.com']);
  });

  it('fail at once, and say why, where the operator set up none', async () => {
    const otherProject = await sharedService().newProject();
    await watch(sharedService().service, otherProject, { addresses: { email: ['ann@example.com'] } });
    await testWatch(watchDeps(sharedService().service), otherProject.row.project_id);
    const [delivery] = await deliveries(sharedService().service, otherProject, 'failed', 1);
    expect(delivery?.error).to.equal('This server sends no e-mail: its operator has to set SMTP_URL and MAIL_FROM.');
  });

  describe('the digest', () => {
    it('says what was missed, what was recovered and what needs doing, once a week', async () => {
      await updateProject(test.service.db, project.row.project_id, { name: `Kettles ${randomUUID()}` });
      await watch(test.service, project, { addresses: { email: ['ann@example.com'] }, alerts: [] });
      await project.upsert({ url: 'https://shop.example/grinder', content: 'How to clean the grinder' });
      await project.indexed();
      const at = (day: number, count: number, path: string, more: object = {}): Parameters<typeof storeMissed>[2] =>
        Array.from({ length: count }, (_, i) => ({ at: MONDAY + day * 24 * HOUR + i * 1_000, path, ...more }));
      await storeMissed(test.service, project, [
        ...at(-3, 10, '/long-ago'),
        ...at(0, 6, '/old/kettle', { outcome: 'redirected' }),
        ...at(2, 3, '/old/<b>pan</b>', { referrer: 'https://shop.example/cooking' }),
        ...at(6, 2, '/grinder'),
        ...at(6, 50, '/wp-login.php', { userAgent: 'curl/8.5.0' }),
        ...at(7, 9, '/next-week'),
      ]);
      await project.query(`update pathmend.watches set digest_week = '2026-10-19' where project_id = $1`);
      const next = MONDAY + 7 * 24 * HOUR;
      await look(test.service, project, next + 6 * HOUR);
      expect(await project.query('select from pathmend.deliveries where project_id = $1')).to.be.empty;
      await Promise.all([look(test.service, project, next + 7 * HOUR), look(test.service, project, next + 7 * HOUR)]);
      await look(test.service, project, next + 5 * 24 * HOUR);
      await deliveries(test.service, project, 'delivered', 1);
      const { headers, text, html } = await mail();
      expect(there.received.length).to.equal(1);
      expect(headers['subject']).to.match(/^\[Kettles .*\] The week from 2026-10-19$/);
      expect(text.split('\n\nYou get this')[0]).to.equal(`The week from 2026-10-19

What was missed
---------------

11 404s from people (10 in the week before).

- /old/kettle: 6, of them 6 recovered
- /old/<b>pan</b>: 3, of them 0 recovered
- /grinder: 2, of them 0 recovered

What was recovered
------------------

6 of them, 55%, were redirected or clicked a suggestion (0% in the week before).

What needs doing
----------------

- 1 missing path of this week waits for a decision

Missed, and nothing is decided:

- /old/<b>pan</b>: 3

Links on your own pages that lead to no page:

- https://shop.example/cooking → /old/<b>pan</b>: 3

Open the console: https://tools.example/console/p/${project.row.project_id}`);
      expect(html).to.include('<li>/old/&lt;b&gt;pan&lt;/b&gt;: 3</li>').and.not.include('<b>');
    });
  });
});
