import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import { storedClicks } from '../../support/stored-events.js';

const click = { clicked_url: '/here', clicked_rank: 1, raw_path: '/gone' };

describe('POST /v1/events: the timestamp of a click', () => {
  it('is any ISO 8601 date and time, with or without fraction and zone', async () => {
    const project = await sharedService().newProject();
    const moments: [string, string][] = [
      ['2026-03-14T09:26:53Z', '2026-03-14T09:26:53.000Z'],
      ['2026-03-14T09:26:53.5897Z', '2026-03-14T09:26:53.589Z'],
      ['2026-03-14T09:26:53,25Z', '2026-03-14T09:26:53.250Z'],
      ['2026-03-14T09:26Z', '2026-03-14T09:26:00.000Z'],
      ['2026-03-14T09:26:53+02:00', '2026-03-14T07:26:53.000Z'],
      ['2026-03-14T09:26:53-0530', '2026-03-14T14:56:53.000Z'],
      ['2026-03-14T23:26:53-01', '2026-03-15T00:26:53.000Z'],
      ['2026-03-14 09:26:53z', '2026-03-14T09:26:53.000Z'],
      ['2026-03-14T09:26:53', '2026-03-14T09:26:53.000Z'],
      ['2026-03-14', '2026-03-14T00:00:00.000Z'],
      ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
      // It only stands beside the time of arrival. A 404's own time is the one by which it is counted.
      ['2199-01-01T00:00:00Z', '2199-01-01T00:00:00.000Z'],
    ];
    const searchIds = moments.map(() => randomUUID());
    for (const [i, [timestamp]] of moments.entries()) {
      const { status } = await project.post('/v1/events', { ...click, search_id: searchIds[i], timestamp });
      expect(status, timestamp).to.equal(204);
    }
    const rows = await storedClicks(sharedService().service, project.row.project_id, moments.length);
    const stored = new Map(rows.map((row) => [row.search_id, row.occurred_at.toISOString()]));
    for (const [i, [timestamp, expected]] of moments.entries()) {
      expect(stored.get(searchIds[i] ?? ''), timestamp).to.equal(expected);
    }
  });

  it('is refused by name when it is no such date', async () => {
    const project = await sharedService().newProject();
    const wrong = [
      ...'|now|yesterday|14.03.2026|03/14/2026|Sat, 14 Mar 2026 09:26:53 GMT|1773480413|2026|2026-3-14'.split('|'),
      ...'2026-13-01T00:00:00Z|2026-02-30|2026-02-29T00:00:00Z|2026-03-14T25:00:00Z|2026-03-14T09:61:00Z'.split('|'),
      ...'2026-03-14T09:26:53+99:99|2026-03-14T09:26:53 Europe/Berlin|0001-01-01T00:00:00Z'.split('|'),
      ...'9999-12-31T00:00:00Z|+275760-09-13T00:00:00Z'.split('|'),
    ];
    for (const timestamp of wrong) {
      const { status, body } = await project.post('/v1/events', { ...click, search_id: randomUUID(), timestamp });
      expect(status, timestamp).to.equal(400);
      expect(body.error).to.deep.include({ code: 'invalid_request', param: 'timestamp' });
      expect(body.error.message).to.contain('ISO 8601');
    }
  });
});
