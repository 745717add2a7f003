import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Part of Node, without types of its own. */
declare const WebAssembly: { compile: (bytes: Uint8Array) => Promise<object> };

let kept: Promise<object> | undefined;

/**
 * Keeps the machine code of the embedded PostgreSQL in this process. V8 has one for all threads that compile the same
 * bytes, as long as one of them lives; without this each service compiles and optimizes it anew, which was half of what
 * its start costs (5.5 s of CPU with it, 2.7 without).
 */
export async function keepWasm(): Promise<void> {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  await (kept ??= WebAssembly.compile(readFileSync(join(folder, 'pglite.wasm'))));
}
