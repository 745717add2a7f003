import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { systemClock } from '#src/base/clock.js';
import { changeRules } from '#src/rules/change-rules.js';
import { eraseEvents } from '#src/operations/erase-events.js';
import { PathSpellings } from '#src/platform/database/path-spellings.js';
import type { RuleChange } from '#src/rules/rule.js';
import type { Message } from '#src/watch/alert.js';
import { changeAlerts, MAX_MESSAGES_A_DAY } from '#src/watch/send-alerts.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { tablesHolding } from '../../support/sql.js';
import { deliveries, look, OWN_NETWORK, storeMissed, watch, watchDeps, type MissedPath } from '../../support/watch.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The time of the tests is a Tuesday. */
const NOW = Date.parse('2026-10-20T10:25:00Z');

describe('alerts', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let there: WebhookReceiver;

  before(async () => {
    test = await startTestService(OWN_NETWORK);
    there = await startReceiver();
  });
  after(async () => {
    await there.stop();
    await test.stop();
  });
  beforeEach(async () => {
    project = await test.newProject();
    await watch(test.service, project, { addresses: { webhook: [there.url] } });
  });

  const messages = async (): Promise<Message[]> => {
    const rows = await project.query<{ message: Message }>(
      'select message from pathmend.deliveries where project_id = $1 order by made_at, message ->> $2 desc',
      'type',
    );
    return rows.map(({ message }) => message);
  };
  const describeMessages = async (): Promise<string[]> =>
    (await messages()).map((message) =>
      'kind' in message ? `${message.type} ${message.kind} ${message.count}` : message.type,
    );

  describe('of a spike', () => {
    /** Five 404s an hour around 10 o'clock, on so many days before. */
    const usual = (days: number): MissedPath[] =>
      Array.from({ length: days }, (_, day) =>
        [0, HOUR, 2 * HOUR].flatMap((more) =>
          Array.from({ length: 5 }, (__, i) => ({
            at: NOW - (day + 1) * DAY - HOUR + more + i * MINUTE,
            path: `/old/${i}`,
          })),
        ),
      ).flat();
    const many = (count: number, userAgent?: string): MissedPath[] =>
      Array.from({ length: count }, (_, i) => ({
        at: NOW - 20 * MINUTE + i * 1_000,
        path: `/broken/${i}`,
        ...(userAgent !== undefined && { userAgent }),
      }));

    it('begin within the hour, once, and end when an hour has passed without', async () => {
      await storeMissed(test.service, project, usual(28));
      await look(test.service, project, NOW);
      expect(await describeMessages()).to.deep.equal([]);
      await storeMissed(test.service, project, many(60));
      await look(test.service, project, NOW);
      await look(test.service, project, NOW + 5 * MINUTE);
      const [began] = await messages();
      expect(began).to.deep.equal({
        type: 'alert.began',
        at: new Date(NOW).toISOString(),
        kind: 'not_found_spike',
        count: 1,
        causes: [{ hour: '2026-10-20T10:00:00.000Z', not_founds: 60, usual: 5 }],
      });
      await look(test.service, project, NOW + HOUR);
      expect(await describeMessages()).to.deep.equal(['alert.began not_found_spike 1']);
      await look(test.service, project, NOW + 2 * HOUR);
      await look(test.service, project, NOW + 3 * HOUR);
      expect(await describeMessages()).to.deep.equal([
        'alert.began not_found_spike 1',
        'alert.ended not_found_spike 1',
      ]);
      await deliveries(test.service, project, 'delivered', 2);
    });

    it('count people, not what robots ask for', async () => {
      await storeMissed(test.service, project, [...usual(28), ...many(500, 'curl/8.5.0')]);
      await look(test.service, project, NOW);
      expect(await describeMessages()).to.deep.equal([]);
    });

    it('wait until a week is known', async () => {
      await storeMissed(test.service, project, [...usual(5), ...many(60)]);
      await look(test.service, project, NOW);
      expect(await describeMessages()).to.deep.equal([]);
    });
  });

  describe('of redirects', () => {
    const page = (name: string): string => `https://shop.example/${name}`;

    async function change(...changes: RuleChange[]): Promise<void> {
      const deps = { ...test.service.deps, db: test.service.db, clock: systemClock };
      await changeRules(deps, project.row.project_id, changes, onCommandLine('a test'));
    }
    const redirect = (path: string, target: string): RuleChange => ({ path, action: 'redirect', target });

    it('name each rule whose target died, in one message, and end when it lives or the rule is gone', async () => {
      for (const name of ['a', 'b', 'c']) await project.upsert({ url: page(name), content: `The page ${name}` });
      await project.indexed();
      await change(
        redirect('/old-a', page('a')),
        redirect('/old-b', '/b'),
        redirect('/section/*', '/c'),
        redirect('/never', '/never-was'),
        redirect('/fine', '/a'),
      );
      await look(test.service, project);
      expect(await describeMessages(), 'a redirect to what never was is none').to.deep.equal([]);
      for (const name of ['b', 'c']) await project.call('DELETE', '/v1/pages/delete', { url: page(name) });
      await project.query(`update pathmend.pages set status = 'ERROR' where project_id = $1`);
      await look(test.service, project);
      await look(test.service, project);
      const [began] = await messages();
      expect(began).to.include({ type: 'alert.began', kind: 'dead_target', count: 4 });
      expect('causes' in (began ?? {}) && began)
        .to.have.deep.property('causes')
        .with.deep.members([
          { path: '/fine', target: page('a'), why: 'error' },
          { path: '/old-a', target: page('a'), why: 'error' },
          { path: '/old-b', target: page('b'), why: 'deleted' },
          { path: '/section/*', target: '/c', why: 'deleted' },
        ]);
      await project.upsert({ url: page('b'), content: 'The page b is back' });
      await project.indexed();
      await change({ path: '/section/*', action: 'remove' });
      await look(test.service, project);
      expect((await describeMessages()).slice(1)).to.deep.equal(['alert.ended dead_target 2']);
      await deliveries(test.service, project, 'delivered', 2);
    });

    it('tell of a thousand in one message, however many processes look at the same time, and name twenty', async () => {
      await project.query(`insert into pathmend.tombstones (project_id, url_hash, url, path_key, content_hash)
         values ($1, '\\x01', 'https://shop.example/gone', '\\x02', '\\x03')`);
      await project.query(`insert into pathmend.rules (project_id, rule_key, path, action, target, target_key, target_path, origin, made_at)
         select $1, sha256(i::text::bytea), '/old/' || i, 'redirect', '/gone', '\\x02', '/gone', 'import', now()
           from generate_series(1, 1500) as i`);
      await Promise.all(Array.from({ length: 6 }, () => look(test.service, project)));
      expect(await describeMessages()).to.deep.equal(['alert.began dead_target 1000']);
      const [message] = await messages();
      expect(message && 'causes' in message && message.causes.length).to.equal(20);
    });
  });

  it('tell of pages that have had an error for an hour', async () => {
    await project.upsert({ url: 'https://shop.example/poor', content: 'A page' });
    await project.indexed();
    await project.query(
      `update pathmend.pages set status = 'ERROR', error = 'too odd', status_at = now() where project_id = $1`,
    );
    await look(test.service, project);
    expect(await describeMessages()).to.deep.equal([]);
    await look(test.service, project, Date.now() + 61 * MINUTE);
    expect((await messages())[0]).to.deep.include({ causes: [{ url: 'https://shop.example/poor', error: 'too odd' }] });
  });

  it(`are ${MAX_MESSAGES_A_DAY} messages a day at most; the last one says so, and all are listed`, async () => {
    for (let i = 0; i < 60; i++) {
      const cause = { url: `https://shop.example/${i}`, error: null };
      await changeAlerts(
        watchDeps(test.service),
        project.row.project_id,
        'page_error',
        [{ key: cause.url, cause }],
        false,
      );
    }
    const all = await describeMessages();
    expect(all.length).to.equal(MAX_MESSAGES_A_DAY);
    expect(all.filter((summary) => summary === 'alerts.held').length).to.equal(1);
    const [{ open }] = (await project.query<{ open: number }>(
      'select count(*)::int as open from pathmend.alerts where project_id = $1 and ended_at is null',
    )) as [{ open: number }];
    expect(open).to.equal(60);
    const tomorrow = watchDeps(test.service, Date.now() + DAY + HOUR);
    await changeAlerts(tomorrow, project.row.project_id, 'page_error', []);
    expect((await describeMessages()).at(-1)).to.equal('alert.ended page_error 60');
  });

  it('are not told of what is not asked for, and end silently when it is asked for no more', async () => {
    const refusals = [{ key: '', cause: { gone: 9, pages: 10, reason: 'too many' } }];
    const deps = watchDeps(test.service);
    await changeAlerts(deps, project.row.project_id, 'refused_prune', refusals);
    expect(await describeMessages()).to.deep.equal(['alert.began refused_prune 1']);
    await watch(test.service, project, { alerts: ['dead_target'] });
    await changeAlerts(deps, project.row.project_id, 'refused_prune', refusals);
    const open = await project.query('select from pathmend.alerts where project_id = $1 and ended_at is null');
    expect([(await describeMessages()).length, open.length]).to.deep.equal([1, 0]);
  });

  it('are forgotten with the path that they name', async () => {
    const cause = { path: '/zarniwoop/"é', target: 'https://shop.example/x', why: 'deleted' as const };
    await changeAlerts(watchDeps(test.service), project.row.project_id, 'dead_target', [{ key: cause.path, cause }]);
    await deliveries(test.service, project, 'delivered', 1);
    await eraseEvents(
      watchDeps(test.service),
      project.row.project_id,
      { path: new PathSpellings(cause.path) },
      () => undefined,
    );
    expect(await tablesHolding(test.service, 'zarniwoop')).to.deep.equal([]);
  });

  it('leave nothing when the project is deleted', async () => {
    await watch(test.service, project, { addresses: { email: ['leaver@example.com'] } });
    await project.query('delete from pathmend.projects where project_id = $1');
    expect(await tablesHolding(test.service, 'leaver@example.com')).to.deep.equal([]);
    await changeAlerts(watchDeps(test.service), project.row.project_id, 'page_error', [
      { key: 'x', cause: { url: 'x', error: null } },
    ]);
  });
});
