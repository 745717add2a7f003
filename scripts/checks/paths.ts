/**
 * Every path of this repository that a document names must be there: in back-ticks (`src/app/mount-routes.ts`, a built
 * file as its source, or the end of a path, `app/mount-routes.ts`) and as the target of a link. So must the documents
 * that comments name.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';

const root = packageRoot();
const FOLDERS = ['.ci', '.github', 'db', 'deploy', 'docs', 'examples', 'left-out', 'models', 'scripts', 'src', 'test'];
const EXTENSIONS = /\.(?:ts|js|mjs|sql|sh|py|md|json|txt|yml)$/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
).filter((file) => !file.includes('/node_modules/'));

function documents(): string[] {
  const beside = readdirSync(root).filter((name) => name.endsWith('.md'));
  return [...beside, ...files.filter((file) => file.endsWith('.md')).map((file) => file.slice(1))]
    .filter((file) => !file.startsWith('examples/'))
    .sort();
}

/** Returns the source of a built file, which lies in another folder; other paths stay as they are. */
function source(word: string): string {
  return word
    .replace(/^\.build\/(.*)\.js$/, '$1.ts')
    .replace(/^dist\/(.*)\.js$/, 'src/$1.ts')
    .replace(/^\.\//, '')
    .replace(/\/$/, '');
}

function isThere(path: string, document: string): boolean {
  if (existsSync(join(root, path)) || existsSync(join(root, dirname(document), path))) return true;
  return files.some((file) => file.endsWith(`/${path}`));
}

function looksLikePath(word: string): boolean {
  if (!/^[\w./-]+$/.test(word) || word.startsWith('/') || word.includes('...') || word.includes('NNNN')) return false;
  return word.includes('/')
    ? FOLDERS.includes(word.split('/')[0] ?? '') || (EXTENSIONS.test(word) && !word.startsWith('data/'))
    : /^[\w-]+(?:\.test)?\.ts$/.test(word);
}

const faults: string[] = [];
for (const document of documents()) {
  const text = readFileSync(join(root, document), 'utf8');
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '');
  for (const [, code = ''] of prose.matchAll(/`([^`\n]+)`/g))
    for (const word of code.split(/\s+/).map(source))
      if (looksLikePath(word) && !isThere(word, document)) faults.push(`${document} names ${word}, which is not there`);
  for (const [, target = ''] of prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
    if (!/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(document), target)))
      faults.push(`${document} links to ${target}, which is not there`);
}

for (const file of files.filter((name) => /^\/(?:src|test|scripts)\/.*\.(?:ts|js|sql|sh|py)$/.test(name)))
  for (const [word] of readFileSync(join(root, file), 'utf8').matchAll(/docs\/[\w/-]+\.md/g))
    if (!existsSync(join(root, word))) faults.push(`${file.slice(1)} names ${word}, which is not there`);

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);
