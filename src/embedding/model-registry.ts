import type { Logger } from '../base/logger.js';
import type { ContentOptions, EmbeddedChunk, Embedder, EmbedOptions, LoadedModel } from './embedder.js';
import { messageOf } from '../base/errors.js';
import { ModelUnavailable } from './embedder-errors.js';
import { folderOf } from './locate-model.js';

/**
 * The models of this process by their id in the database. A model is loaded on first use, and unloaded when no project
 * answers with it and it was not used for some minutes.
 */
export interface ModelRegistry {
  /**
   * Returns the model with an operator's name. Loads it if necessary, and registers its id, for which the role must be
   * allowed to write models (db/access/service.sql).
   */
  named(name: string): Promise<{ modelId: number; model: LoadedModel }>;
  /** Loads the model if necessary; undefined if it cannot be loaded: then searches use letters alone. */
  find(modelId: number): Promise<LoadedModel | undefined>;
  /** Makes a vector of the model's length that is similar to nothing. */
  zeroVector(modelId: number): Promise<Float32Array>;
  /** Embeds a query; returns {@link zeroVector} if the model cannot be loaded. */
  embedQuery(modelId: number, text: string, options?: EmbedOptions): Promise<Float32Array>;
  embedContent(modelId: number, content: string, options?: ContentOptions): Promise<EmbeddedChunk[]>;
  /** See {@link Embedder.keep}. */
  keep: NonNullable<Embedder['keep']>;
  loaded(): LoadedModel[];
  /** Whether the answering models are loaded, as far as possible, and the embedder is ready. */
  ready(): Promise<boolean>;
  stop(): void;
}

/** A model in the database. */
export interface StoredModel {
  model_id: number;
  fingerprint: string;
  name: string;
  location: string;
  dimensions: number;
}

/** The database's list of models. */
export interface ModelStore {
  /** Stores a model, unless it is stored already. @returns its id */
  registerModel(model: Omit<StoredModel, 'model_id'>): Promise<number>;
  /** Stores the cause, for operators, why the model with a name cannot be loaded; null: it can be loaded. */
  noteFailure?(name: string, cause: string | null): Promise<void>;
  findModel(modelId: number): Promise<StoredModel | undefined>;
  /** Finds the models that projects answer with, most used first. */
  findAnsweringModels(limit: number): Promise<number[]>;
  /** Whether a project answers with the model. */
  isAnswering(modelId: number): Promise<boolean>;
}

interface RegistryOptions {
  logger: Logger;
  /** The time after which an unused model is unloaded. Default: five minutes. */
  idleMs?: number;
}

/** Time without use after which a model is unloaded if no project answers with it. */
const IDLE_MS = 300_000;
/** Pause before the next attempt to load a model that failed. */
const RETRY_MS = 60_000;
/** The max models that are loaded before their first use. */
const MAX_LOADED_EARLY = 4;

interface Entry {
  row: StoredModel;
  /** The model; undefined: it cannot be loaded here. */
  model: LoadedModel | undefined;
}

export function openModels(store: ModelStore, embedder: Embedder, options: RegistryOptions): ModelRegistry {
  const { logger, idleMs = IDLE_MS } = options;
  const entries = new Map<number, Promise<Entry | undefined>>();
  const loaded = new Map<number, LoadedModel>();
  const usedAt = new Map<number, number>();
  const names = new Map<string, Promise<number>>();
  let early: Promise<boolean> | undefined;

  async function open(id: number): Promise<Entry | undefined> {
    const row = await store.findModel(id);
    if (!row) return undefined;
    try {
      const model = await embedder.load(row.location);
      if (model.fingerprint === row.fingerprint) {
        loaded.set(id, model);
        return { row, model };
      }
      logger.warn('a model changed in place; its old vectors cannot be compared any more', { model: row.name });
    } catch (error) {
      logger.warn('a model cannot be loaded; projects that answer with it are searched by letters alone', {
        model: row.name,
        error,
      });
      setTimeout(() => entries.delete(id), RETRY_MS).unref();
    }
    return { row, model: undefined };
  }

  function get(id: number): Promise<Entry | undefined> {
    usedAt.set(id, performance.now());
    let entry = entries.get(id);
    if (!entry) {
      entries.set(id, (entry = open(id)));
      // The query failed: the next caller tries again.
      entry.catch(() => entries.delete(id));
    }
    return entry;
  }

  async function register(name: string): Promise<number> {
    const location = folderOf(name);
    const model = await embedder.load(location).catch(async (error: unknown) => {
      logger.warn('a model that was chosen cannot be loaded', { model: name, reason: messageOf(error) });
      await store.noteFailure?.(name, messageOf(error));
      throw error;
    });
    await store.noteFailure?.(name, null);
    const { fingerprint, manifest } = model;
    const { id, dimensions } = manifest;
    const modelId = await store.registerModel({ fingerprint, name: id, location, dimensions });
    // The model may have failed to load from its former location.
    if ((await entries.get(modelId))?.model === undefined) entries.delete(modelId);
    return modelId;
  }

  async function required(id: number): Promise<LoadedModel> {
    const model = (await get(id))?.model;
    if (!model) throw new ModelUnavailable(`model ${id} is not available in this process`);
    return model;
  }

  async function zeroVector(id: number): Promise<Float32Array> {
    return new Float32Array((await get(id))?.row.dimensions ?? 1);
  }

  async function unloadUnused(): Promise<void> {
    for (const [id, { fingerprint }] of loaded) {
      if (performance.now() - (usedAt.get(id) ?? 0) < idleMs) continue;
      if (await store.isAnswering(id)) usedAt.set(id, performance.now());
      // The model may have been used meanwhile.
      if (performance.now() - (usedAt.get(id) ?? 0) < idleMs) continue;
      loaded.delete(id);
      entries.delete(id);
      if (![...loaded.values()].some((other) => other.fingerprint === fingerprint)) embedder.unload(fingerprint);
    }
  }

  async function loadEarly(): Promise<boolean> {
    await Promise.all((await store.findAnsweringModels(MAX_LOADED_EARLY)).map(get));
    return true;
  }

  const timer = setInterval(() => {
    unloadUnused().catch((error: unknown) => logger.warn('could not read which models the projects use', { error }));
  }, idleMs / 5);
  timer.unref();

  return {
    named: async (name) => {
      let known = names.get(name);
      if (!known) {
        names.set(name, (known = register(name)));
        known.catch(() => names.delete(name));
      }
      const modelId = await known;
      return { modelId, model: await required(modelId) };
    },
    find: async (id) => (await get(id))?.model,
    zeroVector,
    embedQuery: async (id, text, opts) => {
      const model = (await get(id))?.model;
      return model ? embedder.embedQuery(model.fingerprint, text, opts) : zeroVector(id);
    },
    embedContent: async (id, content, opts) => embedder.embedContent((await required(id)).fingerprint, content, opts),
    keep: (fingerprint, vectors) => embedder.keep?.(fingerprint, vectors),
    loaded: () => [...loaded.values()],
    ready: async () => {
      early ??= loadEarly();
      early.catch(() => (early = undefined));
      return (await early) && embedder.ready();
    },
    stop: () => clearInterval(timer),
  };
}
