import type { Service } from '#src/app/service.js';
import type { SitePage } from '../site-data.js';
import { bm25, plainSum } from './bm25.js';
import { miniSearch } from './minisearch.js';
import { orama } from './orama.js';
import { pathOverlap, pathTrigrams, slugEdit } from './paths.js';
import type { Peer } from './peer.js';
import { postgres } from './postgres.js';
import { rawCosine, readVectors } from './vectors.js';

/** Every peer on the pages of one site, which the service has indexed as this project. One site at a time. */
export async function buildPeers(service: Service, projectId: string, pages: readonly SitePage[]): Promise<Peer[]> {
  const vectors = await readVectors(service, projectId);
  return [
    pathOverlap(pages),
    pathTrigrams(pages),
    slugEdit(pages),
    bm25(pages),
    miniSearch(pages),
    plainSum(pages),
    ...(await orama(pages, vectors)),
    await postgres(pages, service.database.connection.pool),
    rawCosine(pages, vectors),
  ];
}
