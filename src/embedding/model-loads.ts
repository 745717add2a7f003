import type { LoadedModel } from './embedder.js';
import { ModelUnavailable } from './embedder-errors.js';

/** A model that has been loaded, and where from: a new thread loads it again. */
export interface ModelLoad {
  location: string | undefined;
  model: LoadedModel;
}

interface Asked {
  location: string | undefined;
  promise: Promise<LoadedModel>;
  model?: LoadedModel;
}

/** The models that were asked for: each is loaded once, and one that could not be may be asked for again. */
export class ModelLoads {
  readonly #load: (location: string | undefined) => Promise<LoadedModel>;
  readonly #asked = new Map<string, Asked>();

  constructor(load: (location: string | undefined) => Promise<LoadedModel>) {
    this.#load = load;
  }

  load(location: string | undefined): Promise<LoadedModel> {
    const key = location ?? '';
    const known = this.#asked.get(key);
    if (known) return known.promise;
    const asked: Asked = { location, promise: this.#load(location) };
    this.#asked.set(key, asked);
    asked.promise.then(
      (model) => {
        asked.model = model;
      },
      () => {
        this.#asked.delete(key);
      },
    );
    return asked.promise;
  }

  loaded(): ModelLoad[] {
    return [...this.#asked.values()].flatMap(({ location, model }) => (model ? [{ location, model }] : []));
  }

  /** Throws ModelUnavailable where no model with this fingerprint has been loaded. */
  requireLoaded(fingerprint: string): void {
    for (const { model } of this.#asked.values()) if (model?.fingerprint === fingerprint) return;
    throw new ModelUnavailable(`No model with the fingerprint ${fingerprint} is loaded.`);
  }
}
