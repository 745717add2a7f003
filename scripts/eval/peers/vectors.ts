import { modelOf } from '../../whole-project.js';
import { parsePageUrl } from '#src/text/page-url.js';
import type { Service } from '#src/app/service.js';
import type { SitePage } from '../site-data.js';
import { best, searchText, type Peer, type PeerInput } from './peer.js';

/** The vectors of the service's own model, for peers that use them. */
export interface SiteVectors {
  dimensions: number;
  /** The vectors of every chunk of a page, by url path; unit length. */
  passages: ReadonlyMap<string, readonly Float32Array[]>;
  /** The vector of a question, or of a dead path's words; unit length, or zeros where the model knows no word. */
  ofInput(input: PeerInput): Promise<Float32Array>;
}

/** Reads the vectors that the pipeline wrote for a project. */
export async function readVectors(service: Service, projectId: string): Promise<SiteVectors> {
  const { modelId, model } = await modelOf(service, projectId);
  const { rows } = await service.database.connection.pool.query<{ url: string; embedding: string }>(
    `select p.url, v.embedding::text as embedding
       from pathmend.chunks v join pathmend.pages p on p.project_id = v.project_id and p.page_id = v.page_id
      where v.project_id = $1 and v.model_id = $2
      order by v.page_id, v.ordinal`,
    [projectId, modelId],
  );
  const passages = new Map<string, Float32Array[]>();
  for (const { url, embedding } of rows) {
    const path = parsePageUrl(url)?.path ?? url;
    const list = passages.get(path);
    const vector = Float32Array.from(JSON.parse(embedding) as number[]);
    if (list) list.push(vector);
    else passages.set(path, [vector]);
  }
  return {
    dimensions: model.manifest.dimensions,
    passages,
    ofInput: (input) => service.models.embedQuery(modelId, searchText(input)),
  };
}

/** The raw cosine of a page's best chunk, with nothing else. */
export function rawCosine(pages: readonly SitePage[], vectors: SiteVectors): Peer {
  return {
    name: 'raw_cosine',
    takesQuestions: true,
    rank: async (input) => {
      if (searchText(input) === '') return [];
      const inputVector = await vectors.ofInput(input);
      return best(pages, ({ path }) =>
        (vectors.passages.get(path) ?? []).reduce((most, vector) => Math.max(most, dot(inputVector, vector)), 0),
      );
    },
  };
}

/** The mean of unit vectors, of unit length again; zeros for none. */
export function meanVector(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const vector of vectors) for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (vector[i] ?? 0);
  const length = Math.sqrt(dot(sum, sum)) || 1;
  return sum.map((value) => value / length);
}

function dot(vector: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += (vector[i] ?? 0) * (other[i] ?? 0);
  return sum;
}
