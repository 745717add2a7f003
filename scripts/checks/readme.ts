/**
 * Keeps the README true: the tables of settings and errors are written from the code, and every dependency and every
 * folder of src must be named. `npm run docs` writes, `npm run docs -- --check` fails when something drifted.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS_SCHEMA } from '#src/config.js';
import { ERROR_CATALOGUE } from '#src/errors.js';
import { packageRoot } from '#src/package-root.js';

interface Setting {
  default: unknown;
  description: string;
  enum?: string[];
}

/** Defaults that depend on the machine are said in words. */
const IN_WORDS: Record<string, string> = { EMBEDDING_THREADS: 'cores less one, 1 to 4' };

function settingsTable(): string {
  const rows = Object.entries(SETTINGS_SCHEMA.properties as Record<string, Setting>).map(([name, setting]) => {
    const fallback = IN_WORDS[name] ?? (setting.default === '' ? 'unset' : `\`${String(setting.default)}\``);
    const choices = setting.enum ? ` (${setting.enum.map((one) => `\`${one}\``).join(', ')})` : '';
    return `| \`${name}\` | ${fallback} | ${setting.description}${choices} |`;
  });
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function errorsTable(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([code, { status, message }]) => `| ${status} | \`${code}\` | ${message} |`);
  return ['| status | code | meaning |', '|---|---|---|', ...rows].join('\n');
}

function replaceBlock(text: string, name: string, content: string): string {
  const pattern = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n<!-- end of ${name} -->)`);
  if (!pattern.test(text)) throw new Error(`README.md lacks the block ${name}`);
  return text.replace(pattern, (_, begin: string, end: string) => begin + content + end);
}

const root = packageRoot();
const file = join(root, 'README.md');
const before = readFileSync(file, 'utf8');
const after = replaceBlock(replaceBlock(before, 'settings', settingsTable()), 'errors', errorsTable());

const faults: string[] = [];
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, Record<string, string> | undefined>;
for (const name of [...Object.keys(manifest['dependencies'] ?? {}), ...Object.keys(manifest['devDependencies'] ?? {})]) {
  if (!after.includes(`\`${name}\``)) faults.push(`README.md gives no reason for the dependency ${name}`);
}
for (const entry of readdirSync(join(root, 'src'), { withFileTypes: true })) {
  if (entry.isDirectory() && !after.includes(`  ${entry.name}/`)) faults.push(`README.md's tree lacks src/${entry.name}/`);
}

if (process.argv.includes('--check')) {
  if (after !== before) faults.push('README.md is out of date: run `npm run docs`');
} else {
  writeFileSync(file, after);
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);
