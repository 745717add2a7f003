import type { Logger } from '../base/logger.js';
import type { ContentOptions, EmbeddedPassage, Embedder, EmbedOptions, LoadedModel } from './embedder.js';

/**
 * The models of this process by their number in the database: the configured one, and older ones that still answer
 * searches.
 */
export interface ModelRegistry {
  configured: { modelId: number; model: LoadedModel };
  /** Whether this process can use a model. Loads it first if necessary. */
  available(modelId: number): Promise<boolean>;
  model(modelId: number): Promise<LoadedModel>;
  embedQuery(modelId: number, text: string, options?: EmbedOptions): Promise<Float32Array>;
  embedContent(modelId: number, content: string, options?: ContentOptions): Promise<EmbeddedPassage[]>;
}

/** A model as the database knows it. Rows of early releases have no location. */
export interface StoredModel {
  model_id: number;
  fingerprint: string;
  name: string;
  location: string | null;
  dimensions: number;
}

/** The database's list of models. */
export interface ModelStore {
  /** Gives a model its id. */
  registerModel(model: Omit<StoredModel, 'model_id'>): Promise<number>;
  findModel(modelId: number): Promise<StoredModel | undefined>;
}

/** The configured model. It loads while the database starts. */
export interface ConfiguredModel {
  location: string | undefined;
  loading: Promise<LoadedModel>;
}

/** Waits for the configured model and registers it. Loads other models of the database on demand. */
export async function openModels(
  store: ModelStore,
  embedder: Embedder,
  { location, loading }: ConfiguredModel,
  logger: Logger,
): Promise<ModelRegistry> {
  const model = await loading;
  const modelId = await store.registerModel({
    fingerprint: model.fingerprint,
    name: model.manifest.id,
    location: location ?? model.manifest.id,
    dimensions: model.manifest.dimensions,
  });
  const others = new Map<number, Promise<LoadedModel | undefined>>();

  async function load(id: number): Promise<LoadedModel | undefined> {
    const row = await store.findModel(id);
    if (!row) return undefined;
    // A worker has registered it since.
    if (row.fingerprint === model.fingerprint) return model;
    try {
      // Rows of earlier releases have no location for the model that was theirs by default.
      const loaded = await embedder.load(row.location ?? row.name);
      if (loaded.fingerprint === row.fingerprint) return loaded;
      logger.warn('a model changed in place; its old vectors cannot be compared any more', { model: row.name });
    } catch (error) {
      logger.warn('an older model cannot be loaded; pages wait for the change to the configured one', {
        model: row.name,
        error,
      });
    }
    return undefined;
  }

  async function find(id: number): Promise<LoadedModel | undefined> {
    if (id === modelId) return model;
    let other = others.get(id);
    if (!other) {
      others.set(id, (other = load(id)));
      // The query failed: the next caller tries again.
      other.catch(() => others.delete(id));
    }
    return other;
  }

  async function get(id: number): Promise<LoadedModel> {
    const found = await find(id);
    if (!found) throw new Error(`model ${id} is not available in this process`);
    return found;
  }

  return {
    configured: { modelId, model },
    available: async (id) => (await find(id)) !== undefined,
    model: get,
    embedQuery: async (id, text, options) => embedder.embedQuery((await get(id)).fingerprint, text, options),
    embedContent: async (id, content, options) => embedder.embedContent((await get(id)).fingerprint, content, options),
  };
}
