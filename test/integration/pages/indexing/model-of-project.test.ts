import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { examine } from '#src/operations/doctor/examine.js';
import { readModelState } from '#src/pages/indexing/model-state.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { beforeContent, Gate } from '../../../support/gated-embedder.js';
import { metricAt } from '../../../support/metric.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { buildTinyModel, type TinyModel } from '../../../support/tiny-model.js';
import { until } from '../../../support/until.js';

const ENGLISH = [
  'Change your delivery address before the parcel leaves our house in the evening.',
  'Clean the grinder once a week with a dry brush, and never with water.',
  'Our opening hours are from nine to six, and from ten to four on Saturdays.',
];
const GERMAN = [
  'Ändern Sie Ihre Lieferadresse, bevor das Paket am Abend unser Haus verlässt.',
  'Reinigen Sie die Mühle einmal in der Woche mit einem trockenen Pinsel, nie mit Wasser.',
  'Wir haben von neun bis sechs geöffnet, und samstags von zehn bis vier.',
];

interface Shown {
  model: {
    wanted: string | null;
    answers: string | null;
    choice: string | null;
    installation: string;
    decided: { model: string; languages: Record<string, number>; pages: number; declared: number } | null;
    change: { to: string; pages_done: number; pages: number } | null;
    languages: Record<string, number>;
    fits: boolean;
  };
}

describe("a project's model", function () {
  this.timeout(180_000);
  let testService: TestService;
  let tiny: TinyModel;
  const gate = new Gate();
  let held = '';

  before(async () => {
    tiny = await buildTinyModel({ words: ['parcel', 'grinder', 'hours'] });
    testService = await startTestService(
      { EMBEDDING_MODEL: 'auto' },
      { wrapEmbedder: beforeContent((_, fingerprint) => (fingerprint === held ? gate.pass() : undefined)) },
    );
  });

  after(async () => {
    await testService.stop();
    await rm(tiny.folder, { recursive: true });
  });

  const command = (...args: string[]): Promise<unknown> => jsonInProcess(args, testService.database.environment);
  const show = async ({ row }: TestProject): Promise<Shown['model']> =>
    ((await command('project', 'show', '--project', row.project_id)) as Shown).model;
  const choose = ({ row }: TestProject, model: string): Promise<unknown> =>
    command('project', 'update', '--project', row.project_id, '--model', model);

  /**
   * Reads the state that `project show` prints, without the thread that the command begins each time to look at the
   * languages of the pages.
   */
  const stateOf = ({ row }: TestProject) => readModelState(testService.service.db, row.project_id);
  const changed = (project: TestProject): Promise<void> =>
    until('it is changed', async () => (await stateOf(project))?.change === null, 60_000);

  async function projectOf(pages: readonly { content: string; path?: string; metadata?: unknown }[]) {
    const project = await testService.newProject();
    for (const [at, { content, path = '', metadata }] of pages.entries())
      await project.upsert({ url: `https://x.example${path}/${at}`, content, ...(metadata ? { metadata } : {}) });
    await project.indexed();
    return project;
  }
  const texts = (contents: readonly string[]): { content: string }[] => contents.map((content) => ({ content }));

  async function finds(project: TestProject, question: string): Promise<string[]> {
    const options = { searchThreshold: 0, excludeUrls: [`/${Math.random()}`] };
    const { status, body, text } = await project.post('/v1/semantic-search', { query: question, limit: 10, options });
    expect(status, text).to.equal(200);
    return (body.suggestions as { url: string }[]).map(({ url }) => url);
  }

  const vectors = ({ row }: TestProject) =>
    query<{ name: string; pages: number }>(
      testService.service,
      `select name, count(distinct page_id)::int as pages from pathmend.chunks join pathmend.models using (model_id)
        where project_id = $1 group by 1 order by 1`,
      [row.project_id],
    );

  it('is the English one by itself where the pages are in English, the multilingual one where they are in German or mixed', async () => {
    for (const [contents, model, name] of [
      [ENGLISH, 'english', 'pathmend-english-v1'],
      [GERMAN, 'multilingual', 'pathmend-multilingual-v1'],
      [[...ENGLISH, GERMAN[0] ?? ''], 'multilingual', 'pathmend-multilingual-v1'],
    ] as const) {
      const project = await projectOf(texts(contents));
      const shown = await show(project);
      expect(shown).to.deep.include({ wanted: model, answers: name, choice: null, installation: 'auto', change: null });
      expect(shown.decided).to.include({ model, pages: contents.length, declared: 0 });
      expect(await vectors(project)).to.deep.equal([{ name, pages: contents.length }]);
    }
  });

  it('is not decided by a few words that look like another language, and says where it has too few', async () => {
    const unclear = [
      'Rental bike station',
      'Tourist information centre',
      'Cat dog fish bird',
      'Bike tyre repair guide',
    ];
    for (const [contents, model, languages] of [
      [unclear.slice(0, 1), 'multilingual', {}],
      [unclear, 'multilingual', {}],
      [[...unclear, 'Pricing and plans page', ENGLISH[0] ?? ''], 'english', { en: 1 }],
      [['Öffnungszeiten und Preise', 'Fahrrad mieten', ...unclear], 'multilingual', { de: 1 }],
      [['Horaires et tarifs', 'Openingstijden en prijzen'], 'multilingual', { fr: 0.5, nl: 0.5 }],
      [['営業時間と料金のご案内です。自転車'], 'multilingual', { ja: 1 }],
      [[`<div class="row page wrapper content">${GERMAN[1] ?? ''}</div>`], 'multilingual', { de: 1 }],
    ] as const) {
      const project = await projectOf(texts(contents));
      const { decided } = (await stateOf(project)) ?? {};
      expect([decided?.model, decided?.languages], contents.join()).to.deep.equal([model, languages]);
    }
    const few = await projectOf(texts(unclear.slice(0, 2)));
    const { stdout } = await runInProcess(
      ['project', 'show', '--project', few.row.project_id],
      testService.database.environment,
    );
    expect(stdout).to.match(/^model +multilingual: chosen automatically on \S+, when the pages had too little text/m);
  });

  it('follows what pages declare, in their metadata or their paths, before what their text looks like', async () => {
    const byMetadata = await projectOf(ENGLISH.map((content) => ({ content, metadata: { lang: 'nb-NO' } })));
    expect((await show(byMetadata)).decided).to.deep.include({
      model: 'multilingual',
      languages: { nb: 1 },
      declared: 3,
    });
    const byPath = await projectOf(GERMAN.map((content) => ({ content, path: '/en-us' })));
    expect((await show(byPath)).decided).to.deep.include({ model: 'english', languages: { en: 1 }, declared: 3 });
  });

  it('does not change by itself when the languages of the pages do: project show and doctor say so, and auto decides anew', async () => {
    const project = await projectOf(texts(ENGLISH));
    const { project_id: id, name } = project.row;
    for (const [at, content] of GERMAN.entries()) await project.upsert({ url: `https://x.example/neu/${at}`, content });
    await project.indexed();
    const shown = await show(project);
    expect(shown).to.include({ wanted: 'english', fits: false });
    expect(shown.languages).to.deep.equal({ en: 0.5, de: 0.5 });
    const { stdout } = await runInProcess(['project', 'show', '--project', id], testService.database.environment);
    expect(stdout).to.match(
      /^model +english: chosen automatically on \S+ from en 100% of 3 pages \(0 declare a language\)$/m,
    );
    expect(stdout).to.match(/^languages now +(?:en|de) 50%, (?:en|de) 50% of 6 pages/m);
    expect(stdout).to.match(/many pages are in other languages\. `project update --model auto` decides again/);
    const doctor = async (): Promise<string[]> =>
      (await examine({ environment: testService.database.environment })).flatMap(({ check, level, message }) =>
        check === 'languages' && level === 'warning' && message.includes(name) ? [message] : [],
      );
    expect((await doctor()).join()).to.match(/^The English model answers .*, whose pages are .*de 50%/);
    await choose(project, 'auto');
    await changed(project);
    expect((await stateOf(project))?.answers).to.equal('pathmend-multilingual-v1');
    expect(await doctor()).to.deep.equal([]);
    expect(await vectors(project)).to.deep.equal([{ name: 'pathmend-multilingual-v1', pages: 6 }]);
  });

  it('is its own choice, whatever EMBEDDING_MODEL says; what is no model is refused in words', async () => {
    const made = (await command('project', 'create', '--name', `m ${Math.random()}`, '--model', 'static')) as {
      id: string;
    };
    expect(((await command('project', 'show', '--project', made.id)) as Shown).model).to.deep.include({
      wanted: 'static',
      choice: 'static',
      decided: null,
    });
    const project = await projectOf(texts(GERMAN));
    await choose(project, 'static');
    await changed(project);
    expect((await stateOf(project))?.answers).to.equal('pathmend-static-v2');
    const { code, stderr } = await runInProcess(
      ['project', 'update', '--project', project.row.project_id, '--model', 'no such model'],
      testService.database.environment,
    );
    expect(code).to.equal(1);
    expect(stderr).to.match(/"no such model" is neither a folder that exists, nor a model of ours \(english,/);
  });

  it('is none that an api writes down without being allowed to name it', async () => {
    const { row } = await testService.newProject();
    await query(
      testService.service,
      `update pathmend.projects set model_choice = '/tmp/of-a-stranger' where project_id = $1`,
      [row.project_id],
    );
    const { model } = (await command('project', 'show', '--project', row.project_id)) as Shown;
    expect(model).to.include({ choice: null, wanted: null });
  });

  it('changes behind the searches, which the old one answers; taken back in the midst, nothing of it is lost', async () => {
    const project = await projectOf(texts(ENGLISH));
    const before = await finds(project, 'when is the shop open');
    held = (await testService.service.models.named(tiny.folder)).model.fingerprint;
    gate.close();
    const from = gate.arrived;
    await choose(project, tiny.folder);
    await until('the change is at work', () => gate.arrived > from, 60_000);
    expect((await show(project)).change).to.deep.equal({ to: tiny.folder, pages_done: 0, pages: 3 });
    expect(await finds(project, 'when is the shop open')).to.deep.equal(before);
    const changing = async (): Promise<boolean> =>
      (await metricAt(testService.service.url, 'pathmend_model_changes')) >= 1;
    await until('metrics tell of it', changing, 30_000);
    await choose(project, 'english');
    gate.open();
    await until('only vectors of the old one are left', async () => {
      const state = await stateOf(project);
      const left = await vectors(project);
      return (
        state?.change === null && left.length === 1 && left[0]?.name === 'pathmend-english-v1' && left[0].pages === 3
      );
    });
    expect(await finds(project, 'when is the shop open')).to.deep.equal(before);
    await choose(project, tiny.folder);
    await changed(project);
    expect(await metricAt(testService.service.url, 'pathmend_model_change_pages_total')).to.be.above(2);
    expect(await metricAt(testService.service.url, 'pathmend_models_loaded', 'pathmend-english-v1')).to.equal(1);
  });

  it('that cannot be loaded any more leaves searches to words and paths, until the new vectors are there', async () => {
    const gone = await buildTinyModel({ words: ['parcel', 'grinder', 'hours'] });
    const project = await projectOf(texts(ENGLISH));
    await choose(project, gone.folder);
    await changed(project);
    await rm(gone.folder, { recursive: true });
    await testService.service.stop();
    testService = {
      ...testService,
      ...(await startTestService({ EMBEDDING_MODEL: 'auto' }, { database: testService.database })),
    };
    const headers = { Authorization: `Bearer ${project.key}` };
    const ask = async (path: string, body: unknown): Promise<{ url: string }[]> => {
      const answer = await fetch(testService.service.url + path, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).to.equal(200);
      return ((await answer.json()) as { suggestions: { url: string }[] }).suggestions;
    };
    const options = { searchThreshold: 0 };
    expect((await ask('/v1/semantic-search', { query: 'clean the grinder', options }))[0]?.url).to.equal('/1');
    expect(await ask('/v1/suggest', { path: '/grinder-brush', options })).to.have.length.above(0);
    await choose(project, 'english');
    await changed(project);
    expect((await stateOf(project))?.answers).to.equal('pathmend-english-v1');
    expect((await ask('/v1/semantic-search', { query: 'when is the shop open', options }))[0]?.url).to.equal('/2');
  });

  it('that cannot be fetched is named with its cause by project show and by doctor, while it is only chosen', async () => {
    const project = await testService.newProject();
    // The model is neither on this machine nor on a hub that it can reach.
    await choose(project, 'nobody/no-such-model');
    const failure = async (): Promise<string | null | undefined> => (await stateOf(project))?.failure;
    await until('a worker has tried', async () => typeof (await failure()) === 'string', 60_000);
    expect(await failure()).to.match(
      /"nobody\/no-such-model" is not a folder here and could not be fetched from http.*: \w/,
    );
    const { stdout } = await runInProcess(
      ['project', 'show', '--project', project.row.project_id],
      testService.database.environment,
    );
    expect(stdout).to.match(/It cannot be loaded: .*could not be fetched from/);
    const findings = await examine({ environment: testService.database.environment });
    const named = findings.filter(({ message }) => message.includes('nobody/no-such-model'));
    expect(named.map(({ level, check }) => `${level} ${check}`)).to.deep.equal(['problem model']);
    expect(named[0]?.message).to.include(JSON.stringify(project.row.name)).and.include('could not be fetched from');
    // Once the project has a model that can be loaded, the failure is forgotten.
    await choose(project, 'english');
    await until('another is wanted', async () => (await failure()) === null);
    const after = await examine({ environment: testService.database.environment });
    expect(after.filter(({ message }) => message.includes('nobody/no-such-model'))).to.deep.equal([]);
  });

  it('that was chosen with a new project, and that nobody fetched, is named by doctor before any page is there', async () => {
    const name = `chosen-${process.pid}`;
    await command('project', 'create', '--name', name, '--model', 'nobody/another-model');
    const findings = await examine({ environment: testService.database.environment });
    const finding = findings.find(({ message }) => message.includes('nobody/another-model'));
    expect(finding?.message).to.match(
      /which "chosen-\d+" wants, (is not here, and no worker has fetched it yet|cannot be loaded)/,
    );
    expect(finding?.level).to.be.oneOf(['warning', 'problem']);
  });
});
