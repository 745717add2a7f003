/**
 * The words of documents, comments and the console: how long and how hard to read each document is, and which words and
 * forms of words.yml it uses that have a plainer one. Prints the figures; `--check` fails beyond a limit of words.yml.
 * `--hits` lists the hits without failing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '#src/base/package-root.js';
import { type Figures, figures, markdownPieces } from './shared/prose.js';
import { commentsOf, type SourceText, stringsOf } from './shared/source-texts.js';

type Place = 'documents' | 'console' | 'comments';

interface Form {
  /** A regular expression, matched without regard to case and on whole words. */
  find: string;
  instead: string;
  /** All places where left out. */
  in?: Place[];
  /** Texts in which the form is right; `path` is the beginning of a file's path. */
  except?: { text?: string; path?: string; reason: string }[];
}

interface Words {
  limits: { median: number; grade: number; docsWords: number; readmeWords: number; wordsToGrade: number };
  /** Folders whose comments are read. */
  comments: string[];
  forms: Form[];
}

const root = packageRoot();
const { limits, comments, forms } = parse(readFileSync(join(root, 'scripts/checks/words.yml'), 'utf8')) as Words;
const patterns = forms.map((form) => ({
  ...form,
  pattern: new RegExp(`(?<![\\w-])(?:${form.find.replaceAll(' ', String.raw`\s+`)})(?![\\w-])`, 'giu'),
  exceptions: (form.except ?? []).map(({ text, path }) => ({ path: path ?? '', text: new RegExp(text ?? '', 'iu') })),
}));

function filesBelow(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** One line for each listed form in a text, with the words around it. */
function hits(place: Place, file: string, { text, line }: SourceText): string[] {
  return patterns
    .filter((form) => form.in === undefined || form.in.includes(place))
    .flatMap(({ pattern, instead, exceptions }) =>
      [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
        const around = text.slice(Math.max(0, index - 30), index + match.length + 30).replace(/\s+/g, ' ');
        if (exceptions.some((exception) => file.startsWith(exception.path) && exception.text.test(around))) return [];
        const at = line + text.slice(0, index).split('\n').length - 1;
        return [`${file}:${at}: "${match.replace(/\s+/g, ' ')}" in "…${around}…": ${instead}`];
      }),
    );
}

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('src', /(?:^|\/)README\.md$/),
];
const faults: string[] = [];
const wordHits: string[] = [];
const rows: (Figures & { document: string })[] = [];
for (const document of documents) {
  const pieces = markdownPieces(read(document));
  wordHits.push(...pieces.flatMap((piece) => hits('documents', document, piece)));
  rows.push({ document, ...figures(pieces) });
}
for (const file of filesBelow('src/console', /\.[jt]s$/))
  wordHits.push(...stringsOf(file, read(file)).flatMap((text) => hits('console', file, text)));
for (const file of comments.flatMap((folder) => filesBelow(folder, /\.ts$/)))
  wordHits.push(...commentsOf(file, read(file)).flatMap((text) => hits('comments', file, text)));

for (const { document, words, median, grade } of rows) {
  // A few sentences have no grade worth a name.
  if (words < limits.wordsToGrade) continue;
  if (median > limits.median)
    faults.push(`${document}: half of its sentences have ${median} words or more, at most ${limits.median} may`);
  if (grade > limits.grade) faults.push(`${document}: grade ${grade.toFixed(1)}, at most ${limits.grade}`);
}
const sum = (name: 'words' | 'sentences' | 'longSentences', start: string) =>
  rows.filter(({ document }) => document.startsWith(start)).reduce((total, row) => total + row[name], 0);
if (sum('words', 'docs/') > limits.docsWords)
  faults.push(`docs/: ${sum('words', 'docs/')} words, at most ${limits.docsWords}`);
if (sum('words', 'README.md') > limits.readmeWords)
  faults.push(`README.md: ${sum('words', 'README.md')} words, at most ${limits.readmeWords}`);

process.stdout.write('words  sentences  median  >25 words  >25 in tables  grade  document\n');
for (const { document, words, sentences, median, longSentences, longCells, grade } of rows)
  process.stdout.write(
    [
      String(words).padStart(5),
      String(sentences).padStart(9),
      String(median).padStart(6),
      String(longSentences).padStart(9),
      String(longCells).padStart(13),
      grade.toFixed(1).padStart(5),
      document,
    ].join('  ') + '\n',
  );
for (const [name, start] of [
  ['docs/', 'docs/'],
  ['all', ''],
] as const)
  process.stdout.write(
    `${name}: ${sum('words', start)} words, ${sum('sentences', start)} sentences, ` +
      `${sum('longSentences', start)} of them above 25 words\n`,
  );

const check = process.argv.includes('--check');
if (check || process.argv.includes('--hits')) for (const hit of wordHits) process.stderr.write(`${hit}\n`);
else process.stdout.write(`${wordHits.length} listed words or forms: --hits lists them\n`);
if (check) for (const fault of faults) process.stderr.write(`${fault}\n`);
// Not process.exit, which loses what a pipe has not taken yet.
if (check && faults.length + wordHits.length > 0) process.exitCode = 1;
