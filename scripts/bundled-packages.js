/**
 * `node scripts/bundled-packages.js`, in a folder of the release after `npm ci --omit=dev`: makes it a package that npm
 * installs without a registry, with what node_modules holds (`bundleDependencies`). The stand-ins of left-out/ become
 * folders, since npm unpacks no links; and no package asks for what they stand for or has a script that is run.
 */
import { cpSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const write = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

const release = read('package.json');
const names = Object.keys(release.dependencies);
const standIns = names.filter((name) => release.dependencies[name].startsWith('file:'));
for (const name of standIns) {
  const from = realpathSync(`node_modules/${name}`);
  rmSync(`node_modules/${name}`);
  cpSync(from, `node_modules/${name}`, { recursive: true });
}
for (const path of readdirSync('node_modules', { recursive: true })) {
  if (!/^((.*\/)?node_modules\/)?(@[^/]+\/)?[^/]+\/package\.json$/.test(path)) continue;
  const manifest = read(`node_modules/${path}`);
  delete manifest.scripts;
  for (const name of standIns) {
    delete manifest.dependencies?.[name];
    delete manifest.optionalDependencies?.[name];
  }
  write(`node_modules/${path}`, manifest);
}
const installed = names.map((name) => [name, read(`node_modules/${name}/package.json`).version]);
write('package.json', {
  ...release,
  os: ['linux'],
  scripts: undefined,
  devDependencies: undefined,
  overrides: undefined,
  dependencies: Object.fromEntries(installed),
  bundleDependencies: names,
});
