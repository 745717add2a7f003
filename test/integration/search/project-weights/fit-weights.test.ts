import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { bumpIndexVersion } from '#src/projects/index-version.js';
import { readOwnWeights, type OwnWeightsRow } from '#src/search/store/project-weights.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { maintenance } from '#src/operations/maintenance-job.js';
import { parseCalibration, ownRanking } from '#src/search/ranking/scores/calibration.js';
import type { OwnFigures } from '#src/search/ranking/fit/cross-validate.js';
import { rangeOf } from '#src/platform/database/project-range.js';
import { fitProject, queueDueFits } from '#src/search/project-weights/fit-weights-job.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { maintenanceDone } from '../../../support/maintenance.js';
import { indexVersionOf, redirect } from '../../../support/moves.js';
import type { TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';
import { query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const THINGS = (
  'anchor apron arrow axle banjo barrel basket bellows blanket bottle bucket candle canoe carpet chisel clarinet clock ' +
  'compass cradle curtain drum easel feather fiddle hammer harness kettle ladder lantern mirror needle paddle pencil ' +
  'pillow pulley quilt ribbon rudder saddle shovel spindle stirrup teapot trumpet violin whistle'
).split(' ');

/** The url of a thing's overview does not name the thing: no rewriting of an old path leads there. */
const overview = (thing: string): string => `/n${100 + THINGS.indexOf(thing)}`;

/**
 * A site that sends articles on repair to the overview of the thing, although there is a page with the words of the
 * article. The model cannot know that; the site's redirects say it again and again.
 */
async function pushSite(project: TestProject): Promise<void> {
  for (const thing of THINGS) {
    await project.upsert({
      url: `https://x.example${overview(thing)}`,
      content: `All about the ${thing}: where it comes from.`,
    });
    await project.upsert({
      url: `https://x.example/shop/${thing}-repair-kit`,
      content: `A kit for the repair of your ${thing}, with tools and glue. ${thing} repair made easy.`,
    });
  }
  await project.indexed();
}

const known = (things: readonly string[]): string[] =>
  things.map((thing) => `/workshop/${thing}-repair-article ${overview(thing)}`);

const ALL_PROJECTS = rangeOf({ projects: 0, pages: 0 }, 0);

describe("a project's own weights", function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let project: TestProject;
  let schedule: string;
  /** Not among the redirects. */
  const asked = THINGS.slice(-4);

  const { signal } = new AbortController();
  const deps = () => {
    const { service } = sharedService();
    return { ...service.deps, db: service.db };
  };
  const fit = (of = project): Promise<void> => fitProject(deps(), of.row.project_id, signal);
  const row = (of = project): Promise<OwnWeightsRow | undefined> =>
    readOwnWeights(sharedService().service.db, of.row.project_id);
  const id = (): string => project.row.project_id;
  const environment = () => sharedService().database.environment;
  const bump = (): Promise<void> =>
    inTransaction(sharedService().service.db, (trx) => bumpIndexVersion(trx, id())).then(() => {
      sharedService().service.deps.indexChanges.committed(id());
    });
  const cli = (...args: string[]): Promise<unknown> =>
    jsonInProcess(['project', 'weights', '--project', project.row.name, ...args], environment());

  async function know(of: TestProject, ...lines: string[]): Promise<void> {
    await redirect(sharedService().service, of, folder, ...lines);
    await waitUntilVisible();
  }

  async function first(thing: string): Promise<{ url: string; explanation: { evidence: Record<string, number> } }> {
    const options = { searchThreshold: 0, explain: true };
    const { body } = await project.post('/v1/suggest', { path: `/workshop/${thing}-repair-article`, options });
    return (body.suggestions as Awaited<ReturnType<typeof first>>[])[0] as Awaited<ReturnType<typeof first>>;
  }

  before(async () => {
    project = await sharedService().newProject();
    await pushSite(project);
    // House-keeping, at the start of a service and hourly, fits what is due: a second fit, beside that of a test.
    const { service } = sharedService();
    const [hourly] = await service.queue.boss.getSchedules(maintenance.name);
    await service.queue.boss.unschedule(maintenance.name);
    schedule = hourly?.cron ?? '';
    await maintenanceDone(service);
    await know(project, ...known(THINGS.slice(0, -4)));
  });
  after(async () => {
    await sharedService().service.queue.schedule(maintenance, schedule);
  });

  /** Answers by the model's weights. */
  const byModel = asked.map((thing) => `/shop/${thing}-repair-kit`);
  const byOwn = asked.map(overview);
  const answers = async (): Promise<string[]> => {
    await waitUntilVisible();
    return (await Promise.all(asked.map(first))).map(({ url }) => url);
  };

  it('are fitted on its redirects, and answer what the model got wrong, from the next request on', async () => {
    expect(await answers()).to.deep.equal(byModel);
    const version = await indexVersionOf(sharedService().service, project);
    await fit();
    expect((await row())?.verdict).to.equal('accepted');
    expect(await indexVersionOf(sharedService().service, project)).to.equal(version + 1);
    expect(await answers()).to.deep.equal(byOwn);
  });

  it('were judged by redirects that they did not see, each asked as if it were not known', async () => {
    const { recall1, redirects, mistyped_recall1: mistyped } = (await row())?.figures as unknown as OwnFigures;
    expect(redirects).to.be.within(40, THINGS.length - asked.length);
    // Asked with its redirect, each would be right.
    expect(recall1.before).to.be.below(0.2);
    expect(recall1.after).to.be.above(0.9);
    expect(mistyped.after).to.be.at.least(mistyped.before - 0.01);
  });

  it('are those that an explanation counts with', async () => {
    const { weights, model_weights: model } = (await row()) as OwnWeightsRow;
    const grown = Number(weights?.['redirectedFolder']) / Number(model?.['redirectedFolder']);
    expect(grown).to.be.above(1.5);
    const [thing = ''] = asked;
    const { evidence } = (await first(thing)).explanation;
    expect(Object.values(evidence).reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 0.01);
    await query(sharedService().service, 'update pathmend.own_weights set undone = true where project_id = $1', [id()]);
    await bump();
    const excludeUrls = THINGS.map((one) => `/shop/${one}-repair-kit`);
    const options = { searchThreshold: 0, explain: true, excludeUrls };
    const wide = { path: `/workshop/${thing}-repair-article`, limit: 20, options };
    const { body } = await project.post('/v1/suggest', wide);
    const shown = body.suggestions as { url: string; explanation: { evidence: Record<string, number> } }[];
    const plain = shown.find(({ url }) => url === overview(thing)) ?? expect.fail('the overview is not shown');
    expect(evidence['redirectedFolder']).to.be.above(plain.explanation.evidence['redirectedFolder'] ?? 1);
    await query(sharedService().service, 'update pathmend.own_weights set undone = false where project_id = $1', [
      id(),
    ]);
    await bump();
  });

  it('are fitted again only after twenty new redirects', async () => {
    const { fitted_at: before } = (await row()) as OwnWeightsRow;
    await know(project, ...THINGS.slice(0, 10).map((thing) => `/repairs/${thing}-mending ${overview(thing)}`));
    await fit();
    expect((await row())?.fitted_at).to.deep.equal(before);
    await know(project, ...THINGS.slice(10, 20).map((thing) => `/repairs/${thing}-mending ${overview(thing)}`));
    await queueDueFits(deps(), ALL_PROJECTS);
    await until(
      'the worker has fitted',
      async () => (await row())?.fitted_at?.getTime() !== before?.getTime(),
      120_000,
    );
    expect((await row())?.verdict).to.equal('accepted');
  });

  it('end with the weights of the model that they were fitted from, and are due again', async () => {
    const { fitted_for: fittedFor } = (await row()) as OwnWeightsRow;
    await query(sharedService().service, `update pathmend.own_weights set fitted_for = 'other' where project_id = $1`, [
      id(),
    ]);
    await bump();
    expect(await answers()).to.deep.equal(byModel);
    await fit();
    expect((await row())?.fitted_for).to.equal(fittedFor);
    expect(await answers()).to.deep.equal(byOwn);
  });

  it('of a release that weighed less are as none', () => {
    const model = parseCalibration(null).suggest;
    expect(ownRanking(model, { weights: { words: 1 }, none_added: 1 })).to.equal(model);
    expect(ownRanking(model, { weights: { ...model.rank, words: -1 }, none_added: 1 })).to.equal(model);
    expect(ownRanking(model, { weights: { ...model.rank, words: 9 }, none_added: 1 }).rank.words).to.equal(9);
  });

  it('are undone by command, stay undone, and are fitted again when asked for', async () => {
    expect(await cli()).to.include({ used: 'own', verdict: 'accepted', undone: false });
    expect(await cli('--undo')).to.include({ used: 'model', undone: true });
    expect(await answers()).to.deep.equal(byModel);
    await know(project, ...THINGS.slice(0, 25).map((thing) => `/mend/a-${thing} /${thing}`));
    await fit();
    await queueDueFits(deps(), ALL_PROJECTS);
    expect(await row()).to.include({ undone: true });
    expect(await answers()).to.deep.equal(byModel);
    const fitted = (await cli('--fit')) as { weights: object[]; used: string };
    expect(fitted).to.include({ used: 'own', verdict: 'accepted', undone: false });
    expect(fitted.weights[0]).to.have.all.keys('evidence', 'model', 'own');
    expect(await answers()).to.deep.equal(byOwn);
    const { stdout } = await runInProcess(['project', 'weights', '--project', id()], environment());
    expect(stdout)
      .to.match(/^Own weights: accepted: they answer$/m)
      .and.match(/^redirects right +\d+ +0\.\d+ +[01]\.\d+$/m);
  });

  it('are fitted after an import, and say why they are refused', async () => {
    const small = await sharedService().newProject();
    await small.upsert({ url: 'https://y.example/a', content: 'A page.' });
    await small.indexed();
    const file = join(folder, 'small.txt');
    await writeFile(file, Array.from({ length: 45 }, (_, at) => `/old/number-${at} /a`).join('\n'));
    expect(
      (await runInProcess(['redirects', 'import', '--project', small.row.name, file], environment())).code,
    ).to.equal(0);
    await until('the worker has fitted', async () => (await row(small))?.verdict !== undefined);
    expect((await row(small))?.verdict).to.equal('too few redirects');
    const { stdout } = await runInProcess(['project', 'weights', '--project', small.row.name], environment());
    expect(stdout).to.match(/^Own weights: refused, too few redirects/);
  });

  it('of another project do not count', async () => {
    const { rows } = await sql`select * from pathmend.own_weights`.execute(
      sharedService().service.deps.tenants.of((await sharedService().newProject()).row.project_id).db,
    );
    expect(rows).to.deep.equal([]);
  });

  it('the command refuses what cannot be done, and a project that is gone is left alone', async () => {
    const empty = await sharedService().newProject();
    const weights = (...args: string[]) => runInProcess(['project', 'weights', '--project', ...args], environment());
    expect(await weights(empty.row.name, '--fit'))
      .to.include({ code: 1 })
      .and.property('stderr')
      .match(/no indexed page/);
    expect(await weights(id(), '--fit', '--undo'))
      .property('stderr')
      .match(/--fit or --undo/);
    expect(await weights('no such project'))
      .property('stderr')
      .match(/There is no project/);
    expect((await weights(empty.row.name)).stdout).to.match(/none were fitted yet/);
    await runInProcess(['project', 'delete', '--project', empty.row.name, '--yes'], environment());
    await fit(empty);
    expect(await row(empty)).to.equal(undefined);
  });
});
