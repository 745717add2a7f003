import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, db/, models/ and examples/, wherever the compiled code is. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error('package.json not found above the compiled code: is the installation complete?');
    folder = parent;
  }
  return folder;
}

/** The version that this is. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}

/** The version and the commit that it was built from, if the build knew it. */
export function describeVersion(): string {
  const file = join(packageRoot(), 'dist/commit');
  return existsSync(file) ? `${packageVersion()} (commit ${readFileSync(file, 'utf8').trim()})` : packageVersion();
}
