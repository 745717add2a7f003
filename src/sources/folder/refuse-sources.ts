import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../base/errors.js';

/** Matches configurations of generators, which no built folder has. */
const CONFIGURATION =
  /^(?:hugo\.(?:toml|ya?ml|json)|_config\.(?:ya?ml|toml)|docusaurus\.config\.[cm]?[jt]s|mkdocs\.ya?ml|\.eleventy\.[cm]?js|eleventy\.config\.[cm]?[jt]s|conf\.py)$/;
/** Hugo's older name, which other tools use too: it counts only next to a folder `content`. */
const OLD_HUGO = /^config(?:\.(?:toml|ya?ml|json))?$/;
/** Folders of a checkout that may have the configuration. */
const PLACES = ['', 'docs', 'source', 'docs/source'];
/** Folders into which generators write. */
const BUILT = ['public', '_site', 'build', 'site', 'dist', '_build/html', 'build/html', 'docs/_build/html'];

const ADVICE = 'Build the site, and sync the folder with its HTML: public/, _site/, build/, site/ or dist/.';

/** @throws OperatorError for sources: a generator's configuration, or a built folder beside no home page */
export async function refuseCheckout(folder: string): Promise<void> {
  for (const place of PLACES) {
    const names = await readdir(join(folder, place)).catch((): string[] => []);
    const configuration =
      names.find((name) => CONFIGURATION.test(name)) ??
      (names.includes('content') ? names.find((name) => OLD_HUGO.test(name)) : undefined);
    if (configuration === undefined) continue;
    const file = place === '' ? configuration : `${place}/${configuration}`;
    throw new OperatorError(`${folder} has the sources of a site (${file}), not its pages. ${adviceFor(folder)}`);
  }
  if (!hasHome(folder) && builtIn(folder) !== undefined)
    throw new OperatorError(`${folder} has no index.html. ${adviceFor(folder)}`);
}

/** Explains why a folder without HTML is refused. */
export function noHtml(folder: string, names: readonly string[]): OperatorError {
  const sources = names.find((name) => /\.(?:md|mdx|markdown|rst|adoc)$/i.test(name));
  const problem = sources === undefined ? 'has no HTML file.' : `has sources of pages (${sources}), but no HTML file.`;
  return new OperatorError(`${folder} ${problem} ${adviceFor(folder)}`);
}

function adviceFor(folder: string): string {
  const built = builtIn(folder);
  return built === undefined ? ADVICE : `Sync the folder that was built: ${join(folder, built)}.`;
}

function builtIn(folder: string): string | undefined {
  return BUILT.find((name) => hasHome(join(folder, name)));
}

function hasHome(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}
