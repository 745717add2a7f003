import { expect } from 'chai';
import { runInProcess } from '../../support/commands.js';
import type { Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

describe('pages sync --prune, whose guard held pages back', function () {
  this.timeout(120_000);

  it('keeps them, whatever is pushed beside them, until --force or until the source has them again', async () => {
    const { row } = await sharedService().newProject();
    const sync = (pages: object[], ...args: string[]): Promise<Finished> =>
      runInProcess(
        ['pages', 'sync', '--project', row.name, '-', '--json', ...args],
        sharedService().database.environment,
        pages.map((page) => `${JSON.stringify(page)}\n`).join(''),
      );
    const page = (n: number, content = `All about number ${n}.`): object => ({
      url: `https://shop.example/page-${n}`,
      content,
    });
    const pages = (from: number, to: number): object[] => Array.from({ length: to - from }, (_, at) => page(from + at));
    await sync(pages(0, 5));
    const moved = pages(5, 120);
    const first = await sync(moved, '--prune');
    expect(first.stderr).to.include("5 of the project's 5 pages, more than a fifth").and.include('--force');
    const second = await sync(moved, '--prune');
    expect(second.code).to.equal(1);
    expect(JSON.parse(second.stdout)).to.include({ unchanged: 115, gone: 5 });
    expect(second.stderr).to.include('an earlier sync held back 5 of the 5 pages').and.include('--force');
    // One of them is back, with other words; so it is no longer held when it is gone again.
    expect((await sync([...moved, page(0, 'Back again.')], '--prune')).stderr).to.include('held back 4 of the 4 pages');
    expect((await sync(moved, '--prune', '--dry-run')).stderr).to.include('held back 4 of the 5 pages');
    const stored = await query(sharedService().service, 'select from pathmend.pages where project_id = $1', [
      row.project_id,
    ]);
    expect(stored).to.have.length(120);
    const forced = await sync(moved, '--prune', '--force');
    expect(forced).to.include({ code: 0 });
    expect(JSON.parse(forced.stdout)).to.include({ unchanged: 115, gone: 5 });
    expect(JSON.parse((await sync(moved.slice(1), '--prune')).stdout)).to.include({ unchanged: 114, gone: 1 });
  });
});
