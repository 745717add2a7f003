import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rebuildProject } from '#src/analytics/rebuild-rollups-job.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query, tablesHolding } from '../../support/sql.js';
import { storedClicks, storedNotFounds, loggedSearches } from '../../support/stored-events.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('events forget, beside a running server', function () {
  this.timeout(180_000);
  let project: TestProject;
  let environment: Record<string, string>;

  before(async () => {
    ({ environment } = sharedService().database);
    project = await sharedService().newProject();
    await project.upsert({
      url: 'https://shop.example/help/returns',
      content: 'Send an item back within thirty days.',
    });
    await project.indexed();
    for (const [path, user_ip] of [
      ['/help/zaphod-return', '198.51.100.7'],
      ['/help/return', '192.88.99.9'],
      ['/help/return', '192.88.99.200'],
    ]) {
      const { body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0.01 } });
      const search_id = body.search_id as string;
      await project.post('/v1/events', {
        raw_path: `${path}?q=1`,
        user_agent: BROWSER,
        user_ip,
        search_id,
        referrer: `https://shop.example${path}`,
      });
      await project.post('/v1/events', { clicked_url: '/help/returns', clicked_rank: 1, raw_path: path, search_id });
    }
    await project.post('/v1/events', {
      raw_path: '/help/returns',
      user_ip: '192.88.99.9',
      origin: 'https://shop.example',
    });
    const { service } = sharedService();
    await loggedSearches(service, project.row.project_id, 3);
    await storedNotFounds(service, project.row.project_id, 4);
    await storedClicks(service, project.row.project_id, 3);
  });

  const forgetIn = (projectId: string, ...options: string[]): Promise<unknown> =>
    jsonInProcess(['events', 'forget', '--project', projectId, ...options], environment);
  const forget = (...options: string[]): Promise<unknown> => forgetIn(project.row.project_id, ...options);

  const paths = (): Promise<{ path: string; hits: number }[]> =>
    project.query(
      'select path, (people + unknown)::int as hits from pathmend.missing_paths where project_id = $1 order by 1',
    );

  it('erases a path from every table, with its searches and clicks, and from all sums', async () => {
    expect(await tablesHolding(sharedService().service, 'zaphod')).to.include('pathmend.missing_paths');
    expect(await forget('--path', '/help/zaphod-return')).to.deep.include({ not_founds: 1, searches: 1, clicks: 1 });
    expect(await tablesHolding(sharedService().service, 'zaphod')).to.deep.equal([]);
    expect(await paths()).to.deep.equal([
      { path: '/help/return', hits: 2 },
      { path: '/help/returns', hits: 1 },
    ]);
  });

  it('erases a path in every notation, and what was made of it: events in the queue, proposals, history of rules', async () => {
    const { service } = sharedService();
    const other = await sharedService().newProject();
    await other.upsert({ url: 'https://shop.example/café-list', content: 'Coffee to take away.' });
    await other.indexed();
    const id = other.row.project_id;
    for (const raw_path of [
      '/Café-Trillian/?a=1',
      '/caf%C3%A9-trillian',
      'https://shop.example/café-trillian#b',
      '/café-list',
    ])
      await other.post('/v1/events', {
        raw_path,
        user_agent: BROWSER,
        referrer: 'https://shop.example/caf%C3%A9-trillian',
      });
    await storedNotFounds(service, id, 4);
    const waiting = {
      projectId: id,
      event: { rawPath: '/elsewhere', referrer: 'https://shop.example/café-trillian', visitorIp: null },
    };
    await query(
      service,
      `insert into pgboss.job (name, data, start_after)
       values ('record-event', $1, now() + interval '1 day'), ('record-event', $2, now() + interval '1 day')`,
      [waiting, { ...waiting, event: { ...waiting.event, rawPath: '/café-trillian' } }],
    );
    const shared = [
      { ...waiting, event: { ...waiting.event, rawPath: '/Caf%C3%A9-Trillian' } },
      { ...waiting, event: { ...waiting.event, rawPath: '/shared' } },
      { projectId: randomUUID(), event: { rawPath: '/café', referrer: null, visitorIp: null } },
    ];
    await query(
      service,
      `insert into pgboss.job (name, data, start_after)
       values ('record-events', $1, now() + interval '1 day'), ('record-events', $2, now() + interval '1 day')`,
      [{ events: shared }, { events: shared.slice(0, 1) }],
    );
    await query(
      service,
      `insert into pathmend.refused_events (project_id, event_id, received_at, reason, event) values ($1, $1, now(), 'a test', $2)`,
      [id, { ...waiting, event: { ...waiting.event, rawPath: '/CAFÉ-trillian' } }],
    );
    const cases = JSON.stringify([
      { from: '/café-trillian', to: '/x', path: '/café-trillian', before: null, after: null },
      { from: '/kept', to: '/x', path: '/kept', before: null, after: null },
    ]);
    await query(
      service,
      `insert into pathmend.rule_proposals (project_id, rule_key, path, target, source, support, contradictions, confidence, evidence,
                                            paths, requests, examples, proposed_at)
       values ($1, 'x', '/caf/*', '/x', 'clicks', 2, 0, 0.9, $2, 2, 2, $2, now())`,
      [id, cases],
    );
    await query(
      service,
      `insert into pathmend.rule_changes (project_id, change_id, changed_at, changed_by, kind, rules) values ($1, 1, now(), 'ann', 'change', $2)`,
      [id, cases],
    );
    await query(
      service,
      `insert into pathmend.learned_redirects (project_id, old_path_hash, page_id, old_path, clicks, last_seen_at)
       select project_id, $2, page_id, '/café-trillian', 2, now() from pathmend.pages where project_id = $1`,
      [id, pathKey('/café-trillian')],
    );
    expect(await forgetIn(id, '--path', '/caf%C3%A9-Trillian')).to.deep.equal({
      not_founds: 3,
      searches: 0,
      clicks: 0,
      queued: 4,
      left: { rules: 0, pages: 0, tombstones: 0 },
    });
    for (const needle of ['trillian', 'Trillian'])
      expect(await tablesHolding(service, needle), needle).to.deep.equal([]);
    const [kept] = await query(
      service,
      `select (select evidence from pathmend.rule_proposals where project_id = $1) as evidence,
              (select rules from pathmend.rule_changes where project_id = $1) as rules,
              (select count(*)::int from pgboss.job where data ->> 'projectId' = $1::text and name = 'record-event' and state = 'created') as queued,
              (select jsonb_agg(data -> 'events') from pgboss.job where name = 'record-events' and state = 'created') as shared`,
      [id],
    );
    expect(kept).to.deep.include({ queued: 1 });
    // The events of other projects, and those of this project about other paths, still wait.
    const [, elsewhere, otherEvent] = shared;
    expect(kept?.['shared']).to.deep.equal([
      [{ ...elsewhere, event: { ...elsewhere?.event, referrer: null } }, otherEvent],
    ]);
    for (const name of ['evidence', 'rules'])
      expect(JSON.stringify(kept?.[name])).to.match(/^\[\{[^{]*\/kept[^{]*\}\]$/);
    await query(service, `delete from pgboss.job where data ->> 'projectId' = $1::text or name = 'record-events'`, [
      id,
    ]);
  });

  it('says what the site itself has under the path, and leaves it', async () => {
    const other = await sharedService().newProject();
    await other.upsert({ url: 'https://shop.example/ford', content: 'A page about Ford.' });
    await other.indexed();
    await jsonInProcess(
      ['redirects', 'add', '--project', other.row.project_id, '--from', '/prefect', '--to', '/ford'],
      environment,
    );
    expect(await forgetIn(other.row.project_id, '--path', '/prefect')).to.deep.include({
      left: { rules: 1, pages: 0, tombstones: 0 },
    });
    await other.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/ford' });
    expect(await forgetIn(other.row.project_id, '--path', '/ford/')).to.deep.include({
      left: { rules: 0, pages: 0, tombstones: 1 },
    });
  });

  it('goes over more rows than it takes at once, leaves the others, and makes only the sums of their weeks again', async () => {
    const other = await sharedService().newProject();
    const { service } = sharedService();
    await query(service, `select pathmend.ensure_weeks(now() - interval '14 days', now())`);
    await query(
      service,
      `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, visitor, outcome, is_test)
       select $1, gen_random_uuid(), now() - interval '14 days' * (i % 2), '/path-' || i % 3, 'person', 'nothing', false
         from generate_series(1, 12000) as i`,
      [other.row.project_id],
    );
    await rebuildProject({ db: service.db }, other.row.project_id);
    expect(await forgetIn(other.row.project_id, '--path', '/path-1')).to.deep.include({ not_founds: 4_000 });
    const rows = await query(
      service,
      'select path, people::int from pathmend.missing_paths where project_id = $1 order by 1',
      [other.row.project_id],
    );
    expect(rows).to.deep.equal([
      { path: '/path-0', people: 4_000 },
      { path: '/path-2', people: 4_000 },
    ]);
  });

  it('erases an address with its network, as it is kept', async () => {
    expect(await forget('--ip', '198.51.100.200')).to.deep.equal({ not_founds: 0, searches: 0, clicks: 0, queued: 0 });
    expect(await tablesHolding(sharedService().service, '192.88.99')).not.to.be.empty;
    expect(await forget('--ip', '192.88.99.77')).to.deep.include({ not_founds: 3, searches: 2, clicks: 2 });
    expect(await tablesHolding(sharedService().service, '192.88.99')).to.deep.equal([]);
    expect(await paths()).to.deep.equal([]);
    const [searches] = await project.query(
      'select count(*)::int as days from pathmend.search_days where project_id = $1',
    );
    expect(searches).to.deep.equal({ days: 0 });
  });

  it('says what it does not understand, and erases nothing', async () => {
    for (const options of [
      [],
      ['--ip', 'localhost'],
      ['--ip', '0.0.0.0/0'],
      ['--path', 'x'],
      ['--path', '/x?y'],
      ['--ip', '::1', '--path', '/x'],
    ]) {
      const { code, stderr } = await runInProcess(
        ['events', 'forget', '--project', project.row.project_id, ...options],
        environment,
      );
      expect(code, options.join(' ')).to.equal(1);
      expect(stderr).to.match(/--ip|--path/);
    }
  });
});
