/**
 * Counts the imports between the folders of src. Fails where one goes upwards (scripts/structure/slices.json has the
 * order), and where files of src or scripts import each other in a circle.
 *
 *   node .build/scripts/checks/structure.js [--history REV] [--root DIR] [--ground A,B] [--apart A/B,C/D]
 *
 * `--history` adds how many domain folders a change touched: every commit up to REV of two to forty files of src that
 * are still there, by the places that they have now. To compare with another layout: `--root` is its checkout,
 * `--ground` its folders that belong to no domain, `--apart` folders below others that count as folders of their own.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { groupBy } from '#src/base/group-by.js';
import { packageRoot } from '#src/base/package-root.js';

interface Import {
  /** Paths from src. */
  from: string;
  to: string;
}

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean' },
    history: { type: 'string' },
    root: { type: 'string' },
    ground: { type: 'string' },
    apart: { type: 'string', default: '' },
  },
});
const root = options.root ?? packageRoot();
const slices = JSON.parse(readFileSync(join(packageRoot(), 'scripts/structure/slices.json'), 'utf8')) as {
  order: string[];
  ground: string[];
  writesAcross: Record<string, string[]>;
};
const ground = new Set(options.ground?.split(',') ?? slices.ground);
const apart = options.apart.split(',').filter(Boolean);
/** These folders show or drive all others: an import from there says little. */
const ABOVE_ALL = new Set(['console', 'cli', 'operations', 'doctor', 'maintenance', 'demo']);

const files = listFiles('src');
const imports = files.flatMap((file) => listImports('src', file));

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

/** Lists the relative imports of a file, by paths from a folder of the root. */
function listImports(folder: string, from: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, folder, from), 'utf8'), true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => ({ from, to: join(dirname(from), fileName).replace(/\.js$/, '.ts') }));
}

const entry = (path: string): string => path.split('/')[0] ?? path;

function domain(path: string): string | undefined {
  const name = apart.find((folder) => path.startsWith(`${folder}/`)) ?? entry(path).replace(/^cli\.ts$/, 'cli');
  return name.endsWith('.ts') || ground.has(name) ? undefined : name;
}

type FolderOf = (path: string) => string | undefined;

function findCrossing(folderOf: FolderOf, leftOut = new Set<string>()): Import[] {
  return imports.filter(({ from, to }) => {
    const [importer, imported] = [folderOf(from), folderOf(to)];
    if (importer === undefined || imported === undefined || importer === imported) return false;
    return !leftOut.has(importer) && !leftOut.has(imported);
  });
}

function countPairs(crossing: Import[], folderOf: FolderOf, directed: boolean): number {
  const pairs = crossing.map(({ from, to }) => [folderOf(from), folderOf(to)]);
  return new Set(pairs.map((pair) => (directed ? pair : pair.sort()).join(' '))).size;
}

/** Finds groups of files each of which reaches all others of its group (Tarjan 1972). */
function findCircles(edges: readonly Import[]): string[][] {
  const importsOf = groupBy(edges, ({ from }) => from);
  const index = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  function visit(file: string): number {
    const number = index.size;
    index.set(file, number);
    let lowest = number;
    stack.push(file);
    for (const { to } of importsOf.get(file) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, visit(to));
      else if (stack.includes(to)) lowest = Math.min(lowest, index.get(to) ?? number);
    }
    if (lowest === number) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) circles.push(group);
    }
    return lowest;
  }
  for (const file of importsOf.keys()) if (!index.has(file)) visit(file);
  return circles;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

/** Lists for each change up to a revision the files of src that it touched, by the paths that they have now. */
function listChanges(revision: string): string[][] {
  const counted = new Set(git('rev-list', revision, '--', 'src').split('\n'));
  const log = git('log', '-M', '--no-merges', '--name-status', '--format=tformat:commit %H', '--', 'src');
  const now = new Map(files.map((file) => [`src/${file}`, file]));
  return log.split(/^commit /m).map((commit) => {
    const touched = commit.split('\n').flatMap((line) => {
      const [, path = '', renamedTo] = line.split('\t');
      const file = now.get(renamedTo ?? path);
      if (renamedTo !== undefined && file !== undefined) now.set(path, file);
      return file ?? [];
    });
    return counted.has(commit.slice(0, 40)) ? [...new Set(touched)] : [];
  });
}

const upwards = imports.filter(({ from, to }) => slices.order.indexOf(entry(to)) > slices.order.indexOf(entry(from)));
const across = findCrossing(entry);
const circles = findCircles(imports);
const figures: [string, string | number][] = [
  ['files of src', files.length],
  ['entries of src', new Set(files.map(entry)).size],
  ['arrows between entries', countPairs(across, entry, true)],
  ['imports that cross entries', `${across.length} of ${imports.length}`],
  ['imports between domain folders', findCrossing(domain).length],
  ['the same without console, cli and operations', findCrossing(domain, ABOVE_ALL).length],
  ['pairs of domain folders, without these', countPairs(findCrossing(domain, ABOVE_ALL), domain, false)],
  ['circles of files', circles.length],
  ['circles of files in more than one entry', circles.filter((group) => new Set(group.map(entry)).size > 1).length],
];
if (options.root === undefined) figures.push(['imports upwards', upwards.length]);
if (options.history !== undefined) {
  const counted = listChanges(options.history).filter(({ length }) => length >= 2 && length <= 40);
  const folders = counted.map((change) => new Set(change.map(domain).filter((name) => name !== undefined)).size);
  const touching = folders.filter((count) => count > 0);
  const mean = touching.reduce((sum, count) => sum + count, 0) / touching.length;
  figures.push([`domain folders touched by a change (${touching.length} changes)`, mean.toFixed(2)]);
}
for (const [name, value] of figures) console.log(`${name.padEnd(64)}${value}`);

const scriptImports = listFiles('scripts').flatMap((file) => listImports('.', `scripts/${file}`));

const faults = [
  ...upwards.map(({ from, to }) => `src/${from} imports src/${to}, which stands above it`),
  ...[...circles.map((group) => group.map((file) => `src/${file}`)), ...findCircles(scriptImports)].map(
    (group) => `these import each other in a circle: ${group.join(', ')}`,
  ),
];
for (const [file, names] of Object.entries(slices.writesAcross)) {
  const text = files.includes(file) ? readFileSync(join(root, 'src', file), 'utf8') : '';
  for (const name of names)
    if (!new RegExp(`\\b${name}\\b`).test(text)) faults.push(`writesAcross: src/${file} does not import ${name}`);
}
if (options.root === undefined) {
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
