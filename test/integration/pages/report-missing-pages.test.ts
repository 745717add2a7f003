import { expect } from 'chai';
import { jsonInProcess } from '../../support/commands.js';
import { send, startTestService, type TestProject, type TestService } from '../../support/service.js';
import { storedNotFounds } from '../../support/stored-events.js';

const MINUTE = 60_000;
const START = Date.parse('2027-06-16T12:10:00Z');
const SITE = 'https://shop.example';
const PAGE = '/help/grinder-hums';

describe('pages that visitors report missing', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let now = START;
  let events = 0;

  before(async () => {
    test = await startTestService({}, { clock: { now: () => now } });
  });

  after(() => test.stop());

  beforeEach(async () => {
    now = START;
    events = 0;
    project = await test.newProject();
    await push(PAGE, '/help/brewing-coffee');
  });

  async function push(...paths: string[]): Promise<void> {
    for (const path of paths)
      await project.upsert({ url: SITE + path, content: `All that there is to say about ${path}.` });
    await project.indexed();
  }

  /** A 404 event, so many minutes after the start. */
  async function report(
    minutes: number,
    ip: string | undefined,
    rawPath = PAGE,
    more: { key?: string; origin?: string } = {},
  ): Promise<void> {
    now = START + minutes * MINUTE;
    const body = {
      raw_path: rawPath,
      ...(ip === undefined ? {} : { user_ip: ip }),
      ...(more.origin ? { origin: more.origin } : {}),
    };
    const { status } = await send(test.service.url, 'POST', '/v1/events', body, {
      Authorization: `Bearer ${more.key ?? project.key}`,
    });
    expect(status).to.equal(204);
    events++;
  }

  /** Waits for all events together: waiting for each takes the better part of a second. */
  const allStored = (): Promise<unknown> => storedNotFounds(test.service, project.row.project_id, events);

  const suggested = async (path: string): Promise<string[]> =>
    (
      (await project.post('/v1/suggest', { path, limit: 5, options: { searchThreshold: 0 } })).body.suggestions as {
        url: string;
      }[]
    ).map(({ url }) => url);

  const marked = async (): Promise<string[]> => {
    await allStored();
    return (
      await project.query<{ url: string }>(
        'select p.url from pathmend.missing_pages m join pathmend.pages p using (project_id, page_id) where m.project_id = $1 and m.reported_at is not null',
      )
    ).map(({ url }) => url.slice(SITE.length));
  };

  /** Returns the pages that `pages list --reported-missing` prints. */
  async function reportedPages(): Promise<{ url: string; suggested: boolean }[]> {
    await allStored();
    const rows = (await jsonInProcess(
      ['pages', 'list', '--project', project.row.name, '--reported-missing'],
      test.database.environment,
    )) as { url: string; reported_missing_at: string | null; not_suggested_since: string | null }[];
    for (const row of rows) expect(row.reported_missing_at).to.be.a('string');
    return rows.map(({ url, not_suggested_since }) => ({ url, suggested: not_suggested_since === null }));
  }

  const fromThreeNetworks = async (): Promise<void> => {
    for (const [minutes, ip] of [
      [0, '203.0.113.7'],
      [30, '198.51.100.7'],
      [61, '192.0.2.7'],
    ] as const)
      await report(minutes, ip);
  };

  it('are listed, and not suggested for other paths, until they are pushed again', async () => {
    expect((await suggested('/grinder-hums-loud'))[0]).to.equal(PAGE);
    await report(0, '203.0.113.7', `${PAGE}?utm_source=newsletter`);
    expect(await reportedPages(), 'after one report').to.deep.equal([{ url: SITE + PAGE, suggested: true }]);
    await fromThreeNetworks();
    expect(await marked()).to.deep.equal([PAGE]);
    expect(await suggested('/grinder-hums-loud'), 'another path').to.deep.equal(['/help/brewing-coffee']);
    expect(await suggested(PAGE), 'its own path').to.include(PAGE);
    expect((await project.call('GET', `/v1/proxy?url=${PAGE}`)).status).to.equal(404);
    // Its 404 is of the test's time, which is after any push.
    events++;
    expect(await reportedPages()).to.deep.equal([{ url: SITE + PAGE, suggested: false }]);

    // The page did not change, but a push shows that it exists.
    await push(PAGE);
    expect(await marked()).to.deep.equal([]);
    expect((await suggested('/grinder-hums-loud'))[0]).to.equal(PAGE);
    expect(await reportedPages()).to.deep.equal([]);
  });

  it("without visitors' addresses in twelve different hours", async () => {
    for (let hour = 0; hour < 11; hour++) for (const minute of [0, 20]) await report(hour * 60 + minute, undefined);
    expect(await marked()).to.deep.equal([]);
    await report(11 * 60, undefined);
    expect(await marked()).to.deep.equal([PAGE]);
  });

  for (const [name, act] of [
    [
      'one visitor, however often and long',
      async () => {
        for (let i = 0; i < 30; i++) await report(i * 10, `203.0.113.${i}`);
      },
    ],
    [
      'many networks within minutes, when the site fails for a while',
      async () => {
        for (let i = 0; i < 30; i++) await report(i, `198.51.${i}.1`);
      },
    ],
    [
      'a test key',
      async () => {
        const key = await project.newKey({ mode: 'test' });
        for (let i = 0; i < 12; i++) await report(i * 60, `198.51.${i}.1`, PAGE, { key });
      },
    ],
    [
      '404s of other urls',
      async () => {
        for (let i = 0; i < 6; i++)
          for (const path of [
            `${PAGE}/`,
            `${PAGE}?x=1`,
            PAGE.toUpperCase(),
            `${PAGE}.html`,
            `https://other.example${PAGE}`,
          ])
            await report(i * 30, `198.51.${i}.1`, path);
      },
    ],
    [
      '404s of another site',
      async () => {
        for (let i = 0; i < 6; i++) await report(i * 30, `198.51.${i}.1`, PAGE, { origin: 'https://other.example' });
      },
    ],
  ] as [string, () => Promise<void>][]) {
    it(`${name}: not enough`, async () => {
      await act();
      expect(await marked()).to.deep.equal([]);
      expect((await suggested('/grinder-hums-loud'))[0]).to.equal(PAGE);
    });
  }

  it('what is kept of reports is little, however many come', async () => {
    for (let i = 0; i < 20; i++) await report(i, `198.51.${i}.1`);
    await allStored();
    const rows = await project.query<{ networks: string[] }>(
      'select networks from pathmend.missing_pages where project_id = $1',
    );
    expect(rows.map((row) => row.networks)).to.deep.equal([['198.51.0.0/24', '198.51.1.0/24', '198.51.2.0/24']]);
  });
});
