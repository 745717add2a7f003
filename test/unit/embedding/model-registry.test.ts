import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Embedder, LoadedModel } from '#src/embedding/embedder.js';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { openModels, type ModelRegistry, type ModelStore, type StoredModel } from '#src/embedding/model-registry.js';

const IDLE_MS = 250;

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** A registry over an embedder that notes what it is asked. */
function openFakes(answering: Set<number>) {
  const calls: string[] = [];
  const rows = new Map<number, StoredModel>(
    ['one', 'two', 'gone'].map((name, at) => [
      at + 1,
      { model_id: at + 1, fingerprint: `of ${name}`, name, location: name, dimensions: 3 },
    ]),
  );
  const store: ModelStore = {
    registerModel: ({ name }) => Promise.resolve([...rows.values()].find((row) => row.name === name)?.model_id ?? 0),
    findModel: (id) => Promise.resolve(rows.get(id)),
    findAnsweringModels: () => Promise.resolve([...answering]),
    isAnswering: (id) => Promise.resolve(answering.has(id)),
  };
  const embedder = {
    load: (location: string) => {
      calls.push(`load ${location}`);
      if (location === 'gone') return Promise.reject(new ModelUnavailable('it is gone'));
      const manifest = { id: location, dimensions: 3 };
      return Promise.resolve({ fingerprint: `of ${location}`, manifest } as LoadedModel);
    },
    unload: (fingerprint: string) => {
      calls.push(`unload ${fingerprint}`);
    },
    embedQuery: () => Promise.resolve(new Float32Array([1, 0, 0])),
    ready: () => true,
  } as unknown as Embedder;
  const models = openModels(store, embedder, { logger: SILENT, idleMs: IDLE_MS });
  return { models, asked: calls };
}

describe('the models of a process', () => {
  const opened: ModelRegistry[] = [];
  afterEach(() => {
    for (const models of opened.splice(0)) models.stop();
  });

  function open(...answering: number[]) {
    const projects = new Set(answering);
    const fakes = openFakes(projects);
    opened.push(fakes.models);
    return { ...fakes, projects };
  }

  it('are loaded once, when something first asks for them', async () => {
    const { models, asked: calls } = open(1, 2);
    expect(calls).to.deep.equal([]);
    await Promise.all([models.find(1), models.find(1), models.embedQuery(1, 'a')]);
    expect(await models.named('one')).to.have.property('modelId', 1);
    expect(new Set(calls)).to.deep.equal(new Set(['load one']));
    expect(models.loaded().map(({ manifest }) => manifest.id)).to.deep.equal(['one']);
  });

  it('are let go when nobody has asked for a while and no project answers with them, and come back when one is asked for', async () => {
    const { models, asked: calls, projects } = open(1, 2);
    await Promise.all([models.find(1), models.find(2)]);
    await sleep(2 * IDLE_MS);
    expect(calls).to.deep.equal(['load one', 'load two']);
    projects.delete(2);
    await sleep(2 * IDLE_MS);
    expect(calls).to.deep.equal(['load one', 'load two', 'unload of two']);
    expect(models.loaded().map(({ manifest }) => manifest.id)).to.deep.equal(['one']);
    await models.embedQuery(2, 'a');
    expect(calls.at(-1)).to.equal('load two');
  });

  it('are not let go while they are asked for, though no project answers with them yet', async () => {
    const { models, asked: calls } = open();
    for (let turn = 0; turn < 20; turn += 1) {
      await models.embedQuery(1, 'a');
      await sleep(IDLE_MS / 10);
    }
    expect(calls).to.deep.equal(['load one']);
  });

  it('are ready without one that nobody needs, and with one that cannot be loaded, whose queries are like nothing', async () => {
    const none = open();
    expect(await none.models.ready()).to.equal(true);
    expect(none.asked).to.deep.equal([]);
    const gone = open(3);
    expect(await gone.models.ready()).to.equal(true);
    expect(await gone.models.find(3)).to.equal(undefined);
    expect([...(await gone.models.embedQuery(3, 'a'))]).to.deep.equal([0, 0, 0]);
    expect(gone.asked).to.deep.equal(['load gone']);
  });
});
