import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The vectors of a site's texts under one model, by {@link hashText}. */
export interface SiteVectors {
  fingerprint: string;
  vectors: Map<bigint, Float32Array>;
}

const HASH_BYTES = 8;
const fileOf = (folder: string): string => join(folder, 'vectors.bin');

/**
 * Reads the vectors that scripts/checks/example-vectors.ts made of the example site. A text that changed since is not
 * among them.
 */
export async function readVectors(folder: string): Promise<SiteVectors> {
  const file = await readFile(fileOf(folder));
  const end = file.indexOf('\n') + 1;
  const { fingerprint, dimensions } = JSON.parse(file.toString('utf8', 0, end)) as {
    fingerprint: string;
    dimensions: number;
  };
  const vectors = new Map<bigint, Float32Array>();
  for (let at = end; at < file.length; at += HASH_BYTES + dimensions) {
    const numbers = Float32Array.from({ length: dimensions }, (_, i) => file.readInt8(at + HASH_BYTES + i));
    const length = Math.hypot(...numbers);
    vectors.set(
      file.readBigInt64BE(at),
      numbers.map((value) => value / length),
    );
  }
  return { fingerprint, vectors };
}

/** One line of JSON; then for each text its hash and the direction of its vector, a byte for each number. */
export async function writeVectors(folder: string, { fingerprint, vectors }: SiteVectors): Promise<void> {
  const dimensions = [...vectors.values()][0]?.length ?? 0;
  const parts = [Buffer.from(`${JSON.stringify({ fingerprint, dimensions })}\n`)];
  for (const [hash, vector] of vectors) {
    const part = Buffer.alloc(HASH_BYTES + dimensions);
    part.writeBigInt64BE(hash);
    const largest = Math.max(...vector.map(Math.abs));
    vector.forEach((value, i) => part.writeInt8(Math.round((127 * value) / largest), HASH_BYTES + i));
    parts.push(part);
  }
  await writeFile(fileOf(folder), Buffer.concat(parts));
}
