/**
 * docs/evidence/licences.md lists every package that is installed to run pathmend by its licence: `node
 * .build/scripts/checks/licences.js` writes it from package-lock.json, `--check` fails when it drifted. Both fail for a
 * licence that is not on the list of permissive ones, and where a package's own manifest names another licence.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';

const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

interface Package {
  name: string;
  version: string;
  licence: string;
}

/** Judges an SPDX expression without nesting: one choice of an OR must be permissive, or all that AND and WITH join. */
function isPermissive(expression: string): boolean {
  const names = expression.replace(/[()]/g, '');
  const all = names.split(/ (?:AND|OR|WITH) /).map((name) => PERMISSIVE.has(name));
  return / (?:AND|WITH) /.test(names) ? all.every(Boolean) : all.some(Boolean);
}

const root = packageRoot();
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const faults: string[] = [];

function read([path, { version = '', license: locked }]: [string, Locked]): Package {
  const name = path.replace(/^.*node_modules\//, '');
  const manifest = join(root, path, 'package.json');
  // A package for another platform is in the lock file and not installed.
  const declared = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { license?: string }).license
    : undefined;
  if (locked !== undefined && declared !== undefined && locked !== declared)
    faults.push(`${name} says ${declared}, package-lock.json says ${locked}`);
  const licence = locked ?? declared ?? 'none';
  if (!isPermissive(licence))
    faults.push(`${name}@${version} has the licence ${licence}, which is not on the list of permissive ones`);
  return { name, version, licence };
}

const toRun = Object.entries(packages)
  .filter(([path, { dev = false, link = false }]) => path.includes('node_modules/') && !dev && !link)
  .map(read)
  .sort((a, b) => (a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1));
const byLicence = new Map<string, Set<string>>();
for (const { name, licence } of toRun) byLicence.set(licence, (byLicence.get(licence) ?? new Set()).add(name));
const rows = [...byLicence]
  .sort(([, a], [, b]) => b.size - a.size)
  .map(([licence, names]) => `| ${licence} | ${names.size} | ${[...names].join(', ')} |`);

const page = `# Licences

After this page you know the licence of everything that pathmend installs. All are permissive.

- pathmend itself: Apache-2.0. PGlite contains PostgreSQL and pgvector, both under the PostgreSQL licence.
- The models: \`english\` is all-MiniLM-L6-v2, tuned, Apache-2.0. \`multilingual\` is multilingual-e5-small, tuned, MIT.
  \`static\` is part of pathmend. [Where they come from](../../scripts/model/README.md).
- The packages of \`npm ci --omit=dev\`: the table. \`npm run --silent sbom\` prints them with versions.

\`node .build/scripts/checks/licences.js\` writes this page from package-lock.json. It fails for a licence that is not on its
list of permissive ones.

| licence | packages | names |
|---|---|---|
${rows.join('\n')}
`;

const file = join(root, 'docs', 'evidence', 'licences.md');
const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
if (before !== page) {
  if (process.argv.includes('--check'))
    faults.push('docs/evidence/licences.md is out of date: run `node .build/scripts/checks/licences.js`');
  else writeFileSync(file, page);
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length === 0) process.stdout.write(`${toRun.length} packages, all under permissive licences\n`);
process.exit(faults.length > 0 ? 1 : 0);
