import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelManifest } from './model-manifest.js';
import type { TokenTable } from './token-table.js';

export interface TableRequest {
  folder: string;
  manifest: ModelManifest;
  /** Number of tokens. */
  vocabulary: number;
}

/** Whether a model says of itself that nothing follows its token embeddings. */
export async function hasNoLayers(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'config.json'), 'utf8').catch(() => '{}');
  return (JSON.parse(text) as { num_hidden_layers?: unknown }).num_hidden_layers === 0;
}

/**
 * Reads the token table of a static model in a process of its own: what onnxruntime and transformers.js take, some 60
 * MB, goes with it, and only the table stays. Undefined when it has none, or cannot be read: a session in this process
 * says why.
 */
export function readTableAside(request: TableRequest): Promise<TokenTable | undefined> {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(new URL('./token-table-process.js', import.meta.url)), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    child.once('message', (table) => {
      resolve(table as TokenTable);
    });
    child.once('error', () => {
      resolve(undefined);
    });
    // After its messages, unlike `exit`.
    child.once('disconnect', () => {
      resolve(undefined);
    });
    child.send(request, () => undefined);
  });
}
