import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ALL_OPERATIONS } from '#src/app/openapi.js';
import { importRules } from '#src/rules/import-export/import-redirects.js';
import { learnSectionRedirects } from '#src/rules/learn-redirects-job.js';
import { placesOf } from '../../scripts/faults/injection/places.js';
import { random as seeded } from '../../scripts/seeded.js';
import { sharedService } from '../support/shared-service.js';
import type { Answer, TestProject } from '../support/service.js';
import { query } from '../support/sql.js';
import { loggedSearches, storedClicks } from '../support/stored-events.js';
import { until } from '../support/until.js';

/** A head of a request, with its url, holds 16 KiB; a letter of three bytes takes nine in a url. */
const LONGEST_IN_A_HEAD = 1_700;
/**
 * Every limit of the interface, what an encoded url leaves of it, and some between; a place takes the longest that it
 * does not refuse.
 */
const LENGTHS = [65_000, 20_000, 2_048, 2_000, 1_990, LONGEST_IN_A_HEAD, 1_000, 670, 240, 220, 160, 110, 60];

/** Letters that do not repeat: what repeats, PostgreSQL compresses before it measures a row of an index. */
const LETTERS: Record<string, { first: number; count: number; units: number }> = {
  'three bytes each': { first: 0x4e00, count: 20_000, units: 1 },
  'four bytes each': { first: 0x20000, count: 40_000, units: 2 },
};

describe('the longest text that the interface takes', function () {
  this.timeout(300_000);
  let project: TestProject;
  let random: () => number;

  beforeEach(async () => {
    project = await sharedService().newProject({ scopes: ['read', 'write', 'rules'] });
    random = seeded(16);
  });

  /** So many UTF-16 units, as lengths are counted in. */
  function letters(of: string, length: number): string {
    const { first, count, units } = LETTERS[of] ?? { first: 0, count: 0, units: 1 };
    return Array.from({ length: Math.floor(length / units) }, () =>
      String.fromCodePoint(first + Math.floor(random() * count)),
    ).join('');
  }

  async function send(method: string, path: string, input: Record<string, unknown>): Promise<Answer> {
    if (method !== 'GET') return project.call(method, path, input);
    return project.call('GET', `${path}?${new URLSearchParams(input as Record<string, string>).toString()}`);
  }

  /** All that was asked for is done, at the first try. */
  async function settled(): Promise<void> {
    const { service } = sharedService();
    await service.deps.log.flush();
    await until(
      'nothing waits',
      async () =>
        (
          await query(
            service,
            "select from pgboss.job where state in ('created', 'active', 'retry') and (data->>'projectId' = $1 or data->'events' @> jsonb_build_array(jsonb_build_object('projectId', $1::text)))",
            [project.row.project_id],
          )
        ).length === 0,
    );
    const tried = await query(
      service,
      "select name, output from pgboss.job where (state = 'failed' or retry_count > 0) and (data->>'projectId' = $1 or data->'events' @> jsonb_build_array(jsonb_build_object('projectId', $1::text)))",
      [project.row.project_id],
    );
    expect(tried).to.deep.equal([]);
    expect(
      await query(service, 'select reason from pathmend.refused_events where project_id = $1', [
        project.row.project_id,
      ]),
    ).to.deep.equal([]);
    expect(
      await query(service, "select url, error from pathmend.pages where project_id = $1 and status <> 'INDEXED'", [
        project.row.project_id,
      ]),
    ).to.deep.equal([]);
  }

  async function storedRows(table: string): Promise<number> {
    const [row] = await project.query<{ rows: number }>(
      `select count(*)::int as rows from pathmend.${table} where project_id = $1`,
    );
    return row?.rows ?? -1;
  }

  for (const of of Object.keys(LETTERS)) {
    it(`is stored, from every place of every operation, in letters of ${of}`, async () => {
      let [events, searches, places] = [0, 0, 0];
      for (const operation of ALL_OPERATIONS) {
        for (const place of placesOf(operation)) {
          let taken: number | undefined;
          for (const length of LENGTHS.filter((size) => operation.method !== 'GET' || size <= LONGEST_IN_A_HEAD)) {
            const answer = await send(operation.method, operation.path, place.put(letters(of, length)));
            expect(answer.status, `${operation.path} ${place.name}: ${answer.text.slice(0, 200)}`).to.be.below(500);
            if (answer.status === 400 || answer.status === 413) continue;
            taken = length;
            const isNotFound = ['/v1/not-found', '/v1/proxy'].includes(operation.path);
            if (isNotFound || operation.path === '/v1/events') events++;
            if (
              isNotFound ||
              answer.body?.search_id !== undefined ||
              answer.body?.error?.details?.search_id !== undefined ||
              answer.status === 302
            )
              searches++;
            break;
          }
          places++;
          // Identifiers, states, hosts and times have a form of their own, in which such letters are not.
          // Those of a rule begin with a slash, or are one of a few words.
          const hasForm = operation.path.startsWith('/v1/rules');
          if (
            !hasForm &&
            !/search_id|pageId|status|cursor|host|timestamp|\bby$|as it is (url|.*clicked_url)$/.test(place.name)
          )
            expect(taken, `${operation.path} ${place.name}`).to.be.a('number');
        }
      }
      expect(places).to.be.above(25);
      await settled();
      expect((await storedRows('not_founds')) + (await storedRows('clicks')))
        .to.equal(events)
        .and.to.be.above(6);
      expect(await storedRows('searches'))
        .to.equal(searches)
        .and.to.be.above(8);
    });

    it(`teaches redirects and clicks, in letters of ${of}`, async () => {
      const { service } = sharedService();
      const section = letters(of, 200);
      const name = letters(of, 24);
      await project.upsert({
        url: `https://shop.example/${section.slice(0, 100)}/${name}`,
        content: `Lanterns ${name} for ships.`,
      });
      await project.indexed();
      const old = `/${letters(of, 1_800)}/${section}/${name}`;
      for (let i = 1; i <= 2; i++) {
        const { body } = await project.post('/v1/suggest', { path: old, options: { searchThreshold: 0 } });
        await loggedSearches(service, project.row.project_id, i);
        await project.post('/v1/events', {
          raw_path: old,
          clicked_url: body.suggestions[0].url,
          clicked_rank: 1,
          search_id: body.search_id,
        });
      }
      await storedClicks(service, project.row.project_id, 2);
      const folder = await mkdtemp(join(tmpdir(), 'pathmend-long-'));
      try {
        const target = `/${section.slice(0, 100)}/${name}`;
        await writeFile(
          join(folder, 'redirects'),
          [1_900, 490, 330, 240].map((length) => `/${letters(of, length)}/${name} ${target}\n`).join(''),
        );
        const report = await importRules(
          { db: service.db, clock: service.deps.clock },
          project.row.project_id,
          join(folder, 'redirects'),
          () => undefined,
        );
        expect(report).to.deep.include({ created: 4, bad: [], without_page: [] });
        await learnSectionRedirects(service.deps.tenants.of(project.row.project_id));
      } finally {
        await rm(folder, { recursive: true });
      }
      await settled();
      expect(await storedRows('section_redirects')).to.be.above(0);
    });
  }
});
