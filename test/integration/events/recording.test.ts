import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { storedClicks, storedNotFounds } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';

describe('POST /v1/events: what is recorded', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  it('answers a click and a 404 with 204 and an empty body', async () => {
    for (const body of [
      { raw_path: '/gone' },
      { raw_path: '/gone', clicked_url: '/here', clicked_rank: 1, search_id: randomUUID() },
    ]) {
      const { status, text } = await project.post('/v1/events', body);
      expect(status).to.equal(204);
      expect(text).to.equal('');
    }
  });

  it('has the event in the database already when the 204 arrives', async () => {
    for (let i = 0; i < 10; i++) {
      const path = `/gone/${randomUUID()}`;
      await project.post('/v1/events', { raw_path: path });
      const storedEvents = await query(
        sharedService().service,
        `select from pathmend.not_founds where raw_path = $1
         union all select from pgboss.job, jsonb_array_elements(data -> 'events') as e (data)
                    where name = 'record-events' and e.data #>> '{event,rawPath}' = $1`,
        [path],
      );
      expect(storedEvents, 'the event, as a row or as a job').to.not.be.empty;
    }
  });

  it('stores a click with every field', async () => {
    const searchId = randomUUID();
    await project.post('/v1/events', {
      clicked_url: '/help/returns?lang=en',
      clicked_rank: 2,
      raw_path: '/help/retruns',
      search_id: searchId.toUpperCase(),
      origin: 'https://shop.example',
      timestamp: '2026-03-14T09:26:53.589Z',
    });
    const [click] = await storedClicks(sharedService().service, project.row.project_id, 1);
    expect(click).to.deep.include({
      clicked_url: '/help/returns?lang=en',
      clicked_rank: '2',
      raw_path: '/help/retruns',
      search_id: searchId,
      origin: 'https://shop.example',
      is_test: false,
    });
    expect(click?.occurred_at.toISOString()).to.equal('2026-03-14T09:26:53.589Z');
  });

  it('stores a 404 with every field', async () => {
    await project.post('/v1/events', {
      raw_path: '/help/retruns?x=1',
      origin: 'https://shop.example',
      referrer: 'https://search.example/?q=returns',
      user_agent: 'Mozilla/5.0 (Tëst)',
      user_ip: '192.0.2.77',
    });
    const [notFound] = await storedNotFounds(sharedService().service, project.row.project_id, 1);
    expect(notFound).to.deep.include({
      raw_path: '/help/retruns?x=1',
      origin: 'https://shop.example',
      referrer: 'https://search.example/?q=returns',
      user_agent: 'Mozilla/5.0 (Tëst)',
      visitor_ip: '192.0.2.0/24',
      is_test: false,
    });
  });

  it('stores null for optional fields that are left out or null, and the moment of arrival for a missing timestamp', async () => {
    const before = Date.now();
    await project.post('/v1/events', { raw_path: '/a' });
    await project.post('/v1/events', { raw_path: '/b', origin: null, referrer: null, user_agent: null, user_ip: null });
    const click = { raw_path: '/c', clicked_url: '/c', clicked_rank: 1, search_id: randomUUID() };
    await project.post('/v1/events', click);
    await project.post('/v1/events', { ...click, origin: null, timestamp: null });
    const { service } = sharedService();
    for (const row of await storedNotFounds(service, project.row.project_id, 2)) {
      expect(row).to.deep.include({ origin: null, referrer: null, user_agent: null, visitor_ip: null });
    }
    for (const row of await storedClicks(service, project.row.project_id, 2)) {
      expect(row.origin).to.equal(null);
      expect(row.occurred_at.getTime()).to.be.within(before, Date.now());
    }
  });

  it('stores every one of many events that arrive at once, each once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => project.post('/v1/events', { raw_path: `/gone/${i}` })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(60).fill(204));
    const rows = await storedNotFounds(sharedService().service, project.row.project_id, 60);
    expect(new Set(rows.map((row) => row.raw_path)).size).to.equal(60);
    expect(rows).to.have.length(60);
  });
});
