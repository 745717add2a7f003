import { hashText, type ContentOptions } from '../../embedding/embedder.js';
import type { Tenants } from '../../platform/database/session/tenants.js';
import { findVectors } from '../store/index-rows.js';

/** Looks up a project's stored vectors of texts under a model. */
export type KnownVectors = (projectId: string, modelId: number) => NonNullable<ContentOptions['known']>;

interface LookUp {
  hashes: Set<bigint>;
  vectors: Promise<Map<bigint, Float32Array>>;
}

/** Batches look-ups: texts gather for the next one while one is running. */
export function createKnownVectors(tenants: Tenants): KnownVectors {
  const gathering = new Map<string, LookUp>();
  const last = new Map<string, Promise<unknown>>();
  return (projectId, modelId) => async (texts) => {
    const key = `${projectId} ${modelId}`;
    let next = gathering.get(key);
    if (!next) {
      const hashes = new Set<bigint>();
      const before = last.get(key) ?? Promise.resolve();
      const lookedUp = before.then(() => {
        gathering.delete(key);
        return findVectors(tenants.of(projectId).db, projectId, modelId, [...hashes]);
      });
      // The callers of the look-up get its error.
      const ended = lookedUp.catch(() => undefined);
      last.set(key, ended);
      gathering.set(key, (next = { hashes, vectors: lookedUp }));
    }
    const wanted = texts.map(hashText);
    for (const hash of wanted) next.hashes.add(hash);
    const vectors = await next.vectors;
    return wanted.map((hash) => vectors.get(hash));
  };
}
