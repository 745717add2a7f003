import { expect } from 'chai';
import { selectForeignReferrers } from '#src/analytics/store/redirects.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

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
      return (await selectForeignReferrers(tenant, { from, to }, 10)).map(({ referrer }) => referrer).sort();
    };
    // From Monday the 9th, from Sunday the 8th, and from Tuesday the 10th.
    expect(await weeks('2026-11-09', '2026-11-22')).to.deep.equal(['2026-11-09', '2026-11-16']);
    expect(await weeks('2026-11-08', '2026-11-22')).to.deep.equal(['2026-11-02', '2026-11-09', '2026-11-16']);
    expect(await weeks('2026-11-10', '2026-11-22')).to.deep.equal(['2026-11-09', '2026-11-16']);
    expect(await weeks('2026-11-23', '2026-11-23')).to.deep.equal(['2026-11-23']);
  });
});
