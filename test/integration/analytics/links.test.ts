import { expect } from 'chai';
import { selectBrokenLinks, selectForeignReferrers } from '#src/analytics/store/redirects.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';

describe('links to missing paths', () => {
  it('are those of the weeks that have a day of the period', async () => {
    const { service } = sharedService();
    const { row } = await sharedService().newProject();
    await query(
      service,
      `insert into pathmend.missing_paths
         (project_id, path_hash, path, people, unknown, assistants, search_engines, robots, scanners, redirected, clicked,
          suggested, nothing, gone, unlinked, first_seen, last_seen)
       values ($1, 'path', '/path', 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, now(), now())`,
      [row.project_id],
    );
    // Mondays.
    for (const week of ['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23'])
      await query(
        service,
        `insert into pathmend.referrer_weeks
           (project_id, week, path_hash, referrer_hash, referrer, own, human, others, first_seen, last_seen)
         values ($1, $2::text::date, 'path', convert_to($2::text, 'UTF8'), $2::text, false, 1, 0, $2::text::date, $2::text::date)`,
        [row.project_id, week],
      );
    const weeks = async (from: string, to: string): Promise<string[]> => {
      const tenant = service.deps.tenants.of(row.project_id);
      const { rows } = await selectForeignReferrers(tenant, { from, to }, 10).execute(tenant.db);
      return rows.map(({ referrer, people, before }) => `${referrer}: ${people}, ${before} before`).sort();
    };
    // From Monday the 9th, from Sunday the 8th, and from Tuesday the 10th.
    expect(await weeks('2026-11-09', '2026-11-22')).to.deep.equal([
      '2026-11-09: 1, 0 before',
      '2026-11-16: 1, 0 before',
    ]);
    expect(await weeks('2026-11-08', '2026-11-22')).to.deep.equal([
      '2026-11-02: 1, 1 before',
      '2026-11-09: 1, 0 before',
      '2026-11-16: 1, 0 before',
    ]);
    expect(await weeks('2026-11-10', '2026-11-22')).to.deep.equal([
      '2026-11-09: 1, 1 before',
      '2026-11-16: 1, 0 before',
    ]);
    expect(await weeks('2026-11-23', '2026-11-23')).to.deep.equal(['2026-11-23: 1, 0 before']);
  });

  it('are own on every host of the pages, and on the host of the 404, in each list', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    for (const host of ['www.shop.example', 'blog.shop.example:8443', 'help.shop.example'])
      await project.upsert({ url: `https://${host}/about`, content: `About ${host}.` });
    const referrers = [
      'https://blog.shop.example/post',
      'https://HELP.shop.example/faq',
      'https://api.shop.example/docs',
      '/relative',
      'https://other.example/list',
    ];
    for (const referrer of referrers)
      await project.post('/v1/events', { raw_path: '/gone', origin: 'https://api.shop.example', referrer });
    await storedNotFounds(service, project.row.project_id, referrers.length);
    const listed = await project.query<{ referrer: string; is_own: boolean }>(
      'select referrer, own as is_own from analytics.referrers where project_id = $1',
    );
    const isOwn = Object.fromEntries(referrers.map((referrer) => [referrer, !referrer.includes('other')]));
    expect(Object.fromEntries(listed.map((row) => [row.referrer, row.is_own]))).to.deep.equal(isOwn);
    const rows = await project.query<{ referrer: string; is_own: boolean }>(
      "select referrer, referrer_kind = 'own' as is_own from analytics.not_founds where project_id = $1",
    );
    expect(Object.fromEntries(rows.map((row) => [row.referrer, row.is_own]))).to.deep.equal(isOwn);
    const today = new Date().toISOString().slice(0, 10);
    const tenant = service.deps.tenants.of(project.row.project_id);
    const { rows: foreign } = await selectForeignReferrers(tenant, { from: today, to: today }, 10).execute(tenant.db);
    expect(foreign.map(({ referrer }) => referrer)).to.deep.equal(['https://other.example/list']);
    const broken = await selectBrokenLinks(tenant, { from: today, to: today }, 10);
    expect(broken.map(({ page }) => page)).to.have.members(referrers.slice(0, 4));
  });
});
