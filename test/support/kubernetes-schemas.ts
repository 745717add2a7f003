import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '#src/base/package-root.js';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}
type Validator = new (data: unknown) => { validate(): void };

/** The folder of the schemas that scripts/servers/kubernetes.sh fetched; undefined where it did not run. */
export function kubernetesSchemas(): string | undefined {
  const folder = process.env['PATHMEND_KUBERNETES_DIR'] ?? '/var/tmp/pathmend-kubernetes';
  return existsSync(join(folder, 'complete')) ? folder : undefined;
}

/**
 * Returns the faults of manifests by Kubernetes' own schemas. Validators made from the schemas check values, required
 * fields and formats; types find unknown fields, since the compiler refuses a literal that has more.
 */
export async function schemaFaults(manifests: readonly Manifest[], schemas: string, folder: string): Promise<string[]> {
  const faults: string[] = [];
  for (const manifest of manifests) {
    const path = join(schemas, 'node_modules/kubernetes-models', manifest.apiVersion, 'index.js');
    const models = (await import(pathToFileURL(path).href)) as Record<string, Validator | undefined>;
    const Model = models[manifest.kind];
    if (Model === undefined) faults.push(`${manifest.apiVersion} has no ${manifest.kind}`);
    else
      try {
        new Model(manifest).validate();
      } catch (error) {
        faults.push(`${manifest.kind} ${manifest.metadata.name}: ${String(error)}`);
      }
  }
  await mkdir(folder, { recursive: true });
  await symlink(join(schemas, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const lines = manifests.map(
    (manifest, i) =>
      `import type { I${manifest.kind} as T${i} } from 'kubernetes-models/${manifest.apiVersion}';\n` +
      `export const m${i}: T${i} = ${JSON.stringify(manifest, null, 1)};\n`,
  );
  await writeFile(join(folder, 'manifests.ts'), lines.join(''));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(packageRoot(), 'node_modules/typescript/bin/tsc'), ...options, 'manifests.ts'],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) faults.push(...stdout.split('\n').filter(Boolean));
  return faults;
}
