/**
 * Writes examples/shop/vectors.bin: the vectors of the example site's texts under the English model, so that the first
 * start of the demo need not embed them (`node .build/scripts/checks/example-vectors.js`). They are those of a service
 * that indexes the pages. With `--check` it only says whether the file has the vectors of just these texts, and exits
 * with 1 if not.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HASH_BYTES, readVectors, VECTORS_FILE, type SiteVectors } from '#src/app/demo/example-site.js';
import { prepareDemo } from '#src/app/demo/run-demo.js';
import type { Service } from '#src/app/service.js';
import { packageRoot } from '#src/base/package-root.js';
import { countWaitingPages } from '#src/pages/store/page-counts.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { modelOf } from '../whole-project.js';

const FOLDER = join(packageRoot(), 'examples', 'shop');
/**
 * The file's numbers of 8 bits cost a ten-thousandth of the cosine. Encoders with weights of 8 bits differ more from
 * one kind of processor to another. The cosine of two texts, even of one page, is far lower.
 */
const MIN_COSINE = 0.98;

async function embedDemo(service: Service): Promise<SiteVectors> {
  const { projectId } = await prepareDemo(service, { vectors: false });
  while ((await countWaitingPages(service.db, projectId)) > 0) await sleep(50);
  const { modelId, model } = await modelOf(service, projectId);
  const { rows } = await service.database.connection.pool.query<{ hash: string; vector: string }>(
    `select distinct on (text_hash) text_hash::text as hash, embedding::text as vector
       from pathmend.chunks where project_id = $1 and model_id = $2 order by text_hash`,
    [projectId, modelId],
  );
  const vectors = new Map(
    rows.map(({ hash, vector }) => [BigInt(hash), Float32Array.from(JSON.parse(vector) as number[])]),
  );
  return { fingerprint: model.fingerprint, vectors };
}

/** Writes the direction of each vector. */
async function writeVectors({ fingerprint, vectors }: SiteVectors): Promise<void> {
  const dimensions = [...vectors.values()][0]?.length ?? 0;
  const parts = [Buffer.from(`${JSON.stringify({ fingerprint, dimensions })}\n`)];
  for (const [hash, vector] of vectors) {
    const part = Buffer.alloc(HASH_BYTES + dimensions);
    part.writeBigInt64BE(hash);
    const largest = Math.max(...vector.map(Math.abs));
    vector.forEach((value, i) => part.writeInt8(Math.round((127 * value) / largest), HASH_BYTES + i));
    parts.push(part);
  }
  await writeFile(join(FOLDER, VECTORS_FILE), Buffer.concat(parts));
}

/** Says what differs; the text is empty if the file is up to date. */
function describeDifference(file: SiteVectors, made: SiteVectors): string {
  if (file.fingerprint !== made.fingerprint) return 'the model is another';
  const missing = [...made.vectors.keys()].filter((hash) => !file.vectors.has(hash)).length;
  const more = [...file.vectors.keys()].filter((hash) => !made.vectors.has(hash)).length;
  if (missing + more > 0) return `${missing} texts are not in it, and ${more} are no longer there`;
  const cosines = [...made.vectors].map(([hash, vector]) =>
    vector.reduce((sum, value, i) => sum + value * (file.vectors.get(hash)?.[i] ?? 0), 0),
  );
  const least = Math.min(...cosines);
  console.log(`${cosines.length} texts; the least cosine is ${least.toFixed(5)}`);
  return least < MIN_COSINE ? 'the model gives other vectors' : '';
}

const { service, stop } = await startThrowawayService({ ...process.env, EMBEDDING_MODEL: 'auto' });
try {
  const made = await embedDemo(service);
  if (!process.argv.includes('--check')) await writeVectors(made);
  const differs = describeDifference(await readVectors(FOLDER), made);
  if (differs !== '') {
    console.error(
      `examples/shop/vectors.bin is out of date: ${differs}; node .build/scripts/checks/example-vectors.js writes it`,
    );
    process.exitCode = 1;
  }
} finally {
  await stop();
}
process.exit();
