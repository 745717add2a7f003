/**
 * docs/evidence/licences.md lists every package that is installed to run pathmend, with its licence: `node
 * .build/scripts/checks/licences.js` writes it from package-lock.json, `--check` fails when it drifted. Both fail for a
 * licence that is not on the list of permissive ones, and for one that a package itself says otherwise.
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

/** Of an SPDX expression without nesting: one of its choices, or all of what it joins. */
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
  // What is not for this platform is not installed.
  const said = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { license?: string }).license
    : undefined;
  if (locked !== undefined && said !== undefined && locked !== said)
    faults.push(`${name} says ${said}, package-lock.json says ${locked}`);
  const licence = locked ?? said ?? 'none';
  if (!isPermissive(licence))
    faults.push(`${name}@${version} has the licence ${licence}, which is not on the list of permissive ones`);
  return { name, version, licence };
}

const toRun = Object.entries(packages)
  .filter(([path, { dev = false, link = false }]) => path.includes('node_modules/') && !dev && !link)
  .map(read)
  .sort((a, b) => (a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1));
const counts = new Map<string, number>();
for (const { licence } of toRun) counts.set(licence, (counts.get(licence) ?? 0) + 1);

const page = `# Licences

What \`npm ci --omit=dev\` installs beside pathmend itself (Apache-2.0), made from package-lock.json by
\`node .build/scripts/checks/licences.js\`; a licence that is not on its list of permissive ones fails the check.
PGlite holds PostgreSQL and pgvector, both under the PostgreSQL licence, compiled to WebAssembly. Of the models in
\`models/\` the English one is all-MiniLM-L6-v2, tuned, under Apache-2.0; the multilingual one is multilingual-e5-small, tuned, under MIT; the static one is part of pathmend;
[scripts/model/README.md](../../scripts/model/README.md) says where they are from.

${toRun.length} packages: ${[...counts]
  .sort((a, b) => b[1] - a[1])
  .map(([licence, n]) => `${n} × ${licence}`)
  .join(', ')}.

| package | version | licence |
|---|---|---|
${toRun.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`).join('\n')}
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
