import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import { storedClicks, storedNotFounds, type StoredNotFound } from '../../support/stored-events.js';

/** Makes a text of `length` characters whose parts all differ, so that a cut at the wrong end shows. */
function text(length: number): string {
  return Array.from({ length: Math.ceil(length / 6) }, (_, i) => `${String(i).padStart(5, '0')}/`)
    .join('')
    .slice(0, length);
}

describe('POST /v1/events: long text', () => {
  async function notFoundOf(body: Record<string, unknown>): Promise<StoredNotFound> {
    const project = await sharedService().newProject();
    expect((await project.post('/v1/events', { raw_path: '/x', ...body })).status).to.equal(204);
    const [row] = await storedNotFounds(sharedService().service, project.row.project_id, 1);
    if (!row) throw new Error('no row');
    return row;
  }

  it('keeps paths and urls of 2,048 characters and a user agent of 1,024 whole, and cuts what is longer', async () => {
    const allowed = { raw_path: 2_048, origin: 2_048, referrer: 2_048, user_agent: 1_024 };
    const longer = { raw_path: 2_049, origin: 5_000, referrer: 100_000, user_agent: 1_025 };
    const write = (lengths: Record<string, number>): Record<string, string> =>
      Object.fromEntries(Object.entries(lengths).map(([name, length]) => [name, text(length)]));
    for (const lengths of [allowed, longer]) expect(await notFoundOf(write(lengths))).to.deep.include(write(allowed));
  });

  it('cuts the texts of a click', async () => {
    const project = await sharedService().newProject();
    const long = text(3_000);
    const body = { clicked_url: long, raw_path: long, origin: long, clicked_rank: 1, search_id: randomUUID() };
    expect((await project.post('/v1/events', body)).status).to.equal(204);
    const [row] = await storedClicks(sharedService().service, project.row.project_id, 1);
    const cut = text(2_048);
    expect(row).to.deep.include({ clicked_url: cut, raw_path: cut, origin: cut });
  });

  it('does not cut through a surrogate pair', async () => {
    const row = await notFoundOf({ raw_path: `${'a'.repeat(2_047)}😀b`, user_agent: `${'a'.repeat(1_022)}😀b` });
    expect(row.raw_path).to.equal('a'.repeat(2_047));
    expect(row.user_agent).to.equal(`${'a'.repeat(1_022)}😀`);
  });
});
