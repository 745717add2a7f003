import type { LoadedModel } from './embedder.js';
import { ModelUnavailable } from './embedder-errors.js';

/** A loaded model and its location, from which a new thread loads it again. */
export interface ModelLoad {
  location: string;
  model: LoadedModel;
}

interface Load {
  location: string;
  promise: Promise<LoadedModel>;
  model?: LoadedModel;
}

/** Loads each model once. A failed load may be tried again. */
export class ModelLoads {
  readonly #load: (location: string) => Promise<LoadedModel>;
  readonly #loads = new Map<string, Load>();

  constructor(load: (location: string) => Promise<LoadedModel>) {
    this.#load = load;
  }

  load(location: string): Promise<LoadedModel> {
    const known = this.#loads.get(location);
    if (known) return known.promise;
    const load: Load = { location, promise: this.#load(location) };
    this.#loads.set(location, load);
    load.promise.then(
      (model) => {
        load.model = model;
      },
      () => {
        this.#loads.delete(location);
      },
    );
    return load.promise;
  }

  loaded(): ModelLoad[] {
    return [...this.#loads.values()].flatMap(({ location, model }) => (model ? [{ location, model }] : []));
  }

  forget(fingerprint: string): void {
    for (const [key, { model }] of this.#loads) if (model?.fingerprint === fingerprint) this.#loads.delete(key);
  }

  /** Throws ModelUnavailable when no model with this fingerprint is loaded. */
  requireLoaded(fingerprint: string): void {
    for (const { model } of this.#loads.values()) if (model?.fingerprint === fingerprint) return;
    throw new ModelUnavailable(`No model with the fingerprint ${fingerprint} is loaded.`);
  }
}
