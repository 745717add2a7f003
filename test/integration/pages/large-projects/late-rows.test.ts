import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { arrivedAfter } from '#src/pages/store/segments.js';
import { rejection } from '../../embedding/rejection.js';
import { sharedService } from '../../../support/shared-service.js';

const ROWS = 5_000;

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('what arrived in a project behind its own indexes', function () {
  this.timeout(60_000);

  it('is read in the order of arrival, whatever was imported into other projects since', async () => {
    const { service } = sharedService();
    const [mine, theirs] = [await sharedService().newProject(), await sharedService().newProject()];
    let read: string[] = [];
    const end = await rejection(
      inTransaction(service.db, async (trx) => {
        for (const [{ row }, times] of [
          [mine, 1],
          [theirs, 9],
        ] as const) {
          const page = row.project_id.replaceAll('-', '').slice(0, 24);
          await sql`insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, title, content, content_hash, metadata, status)
          values (${row.project_id}, ${page}, ${page}, sha256(''), sha256(''), '', '', sha256(''), '{}', 'INDEXED')`.execute(
            trx,
          );
          await sql`insert into pathmend.chunks (project_id, model_id, page_id, ordinal, start_at, end_at, text_hash, embedding)
          select ${row.project_id}::uuid, (select min(model_id) from pathmend.models), ${page}, n, 0, 1, n, '[1]'
            from generate_series(1, ${ROWS * times}::int) as n`.execute(trx);
        }
        await sql`analyze pathmend.chunks`.execute(trx);
        const { rows } = await sql<{
          last: string;
        }>`select max(arrival) as last from pathmend.chunks where project_id = ${mine.row.project_id}`.execute(trx);
        const explained = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
        explain (format json) select r.page_id, r.embedding from pathmend.chunks r
         where r.project_id = ${mine.row.project_id} and ${arrivedAfter(sql`${rows[0]?.last}`)}`.execute(trx);
        read = nodesOf(explained.rows[0]?.['QUERY PLAN'][0]?.Plan as Plan).flatMap(
          (node) => node['Index Name'] ?? (node['Node Type'] === 'Seq Scan' ? 'every row' : []),
        );
        throw new Error('rolled back');
      }),
      Error,
    );
    expect(end.message).to.equal('rolled back');
    expect(read).to.deep.equal(['chunks__arrival']);
  });
});
