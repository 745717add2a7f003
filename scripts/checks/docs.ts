/**
 * Keeps the documents true: the tables of settings, errors, metrics, alerts and formats are written from the code,
 * as are the settings of docker-compose.yml and .env.example,
 * relevance.md's weights and reliability from the bundled models' manifests, benchmarks.md's tables from the
 * results beside it, the list of docs/evidence/decisions from its pages, docs/openapi.json from the routes, and
 * clients/js/api.d.ts from that. dependencies.md must name every dependency, and ARCHITECTURE.md every folder of
 * src. `npm run docs` writes, `npm run docs -- --check` fails when something drifted.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { SETTINGS } from '#src/platform/settings/settings.js';
import { ERROR_CATALOGUE } from '#src/base/errors.js';
import { describeApi } from '#src/app/openapi.js';
import { createMetrics } from '#src/platform/telemetry/metrics.js';
import { EXPORT_FORMATS, formatOf } from '#src/rule-formats/write/formats.js';
import { ALERT_KINDS, alertOf } from '#src/watch/alert.js';
import { packageRoot } from '#src/base/package-root.js';
import { OWN_MODELS } from '#src/embedding/locate-model.js';
import { benchmarkTables } from './shared/benchmark-tables.js';

interface Setting {
  default: unknown;
  description: string;
  enum?: readonly string[];
}

/** Defaults that depend on the machine are said in words. */
const IN_WORDS: Record<string, string> = { EMBEDDING_THREADS: 'cores less one, 1 to 4' };

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [lines[0], `|${heads.map(() => '---|').join('')}`, ...lines.slice(1)].join('\n');
}

function settingsTable(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const fallback = IN_WORDS[name] ?? (setting.default === '' ? 'unset' : `\`${String(setting.default)}\``);
    const choices = setting.enum ? ` (${setting.enum.map((choice) => `\`${choice}\``).join(', ')})` : '';
    return [`\`${name}\``, fallback, `${setting.description}${choices}`];
  });
  return table(['setting', 'default', 'meaning'], rows);
}

/** Settings that the compose files set by hand: where things are in a container, and each role's login. */
const BY_HAND = 'PORT WORKER_PORT HOST DATA_DIR DATABASE_URL DATABASE_DIRECT_URL CONSOLE_PORT'.split(' ');

/** The role that alone reads a setting in Compose. */
function roleOf(name: string): 'api' | 'worker' | undefined {
  if (/^OIDC_|^CONSOLE_(?!URL)/.test(name)) return 'api';
  return /^(?:SMTP_URL|MAIL_FROM)$/.test(name) ? 'worker' : undefined;
}

/** Each is empty unless it is set, which is the default. */
function composeSettings(role: 'api' | 'worker' | undefined, indent: string): string {
  const names = Object.keys(SETTINGS).filter((name) => !BY_HAND.includes(name) && roleOf(name) === role);
  return names.map((name) => `${indent}${name}: \${${name}:-}\n`).join('');
}

function exampleSettings(): string {
  const rows = Object.entries<Setting>(SETTINGS).filter(([name]) => !BY_HAND.includes(name));
  return rows
    .map(([name, setting]) => {
      const fallback = IN_WORDS[name] ?? (setting.default === '' ? 'unset' : String(setting.default));
      return `# ${setting.description} (${fallback})\n${name}=''`;
    })
    .join('\n');
}

function errorsTable(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([code, { status, message }]) => [
    `${status}`,
    `\`${code}\``,
    message,
  ]);
  return table(['status', 'code', 'meaning'], rows);
}

function formatsTable(): string {
  const rows = EXPORT_FORMATS.map((format) => {
    const { what, limits = '' } = formatOf(format);
    return [`\`${format}\``, what, limits];
  });
  return table(['format', 'what it is', 'limits'], rows);
}

function alertsTable(): string {
  const rows = ALERT_KINDS.map((kind) => {
    const { begins, isOver } = alertOf(kind);
    return [`\`${kind}\``, begins, isOver];
  });
  return table(['alert', 'starts when', 'ends when'], rows);
}

interface Described {
  name: string;
  help: string;
  type: string;
  labelNames: string[];
}

/** Without Node's own. Nothing is read: sources are asked at a scrape. */
function metricsTable(): string {
  const { registry } = createMetrics({ bulkheads: {}, build: {}, work: {}, replica: {}, tracer: {} } as never);
  const rows = registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('pathmend_'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((metric) => {
      const { name, help, type, labelNames } = metric as unknown as Described;
      const labels = labelNames.filter((label) => label !== 'le').map((label) => `\`${label}\``);
      return [`\`${name}\``, type, labels.length > 0 ? `${help} (${labels.join(', ')})` : help];
    });
  return table(['metric', 'type', 'meaning (labels)'], rows);
}

interface CheckedCalibration {
  suggest: { rank: Record<string, number> };
  query: { rank: Record<string, number> };
  checked: { sites: number; n: number; ece: number; bins: { from: number; n: number; score: number; right: number }[] };
}

type OfModels = readonly [name: string, calibration: CheckedCalibration][];

/** Evidence of both kinds of search has two weights in a cell: for paths, and for questions. */
function weightsTable(models: OfModels): string {
  const names = new Set(
    models.flatMap(([, { suggest, query }]) => [...Object.keys(suggest.rank), ...Object.keys(query.rank)]),
  );
  const rows = [...names].map((name) => [
    `\`${name}\``,
    ...models.map(([, { suggest, query }]) =>
      [suggest.rank[name], query.rank[name]].flatMap((weight) => weight?.toFixed(2) ?? []).join(', '),
    ),
  ]);
  return table(['evidence, 0 to 1', ...models.map(([model]) => `\`${model}\``)], rows);
}

function reliabilityTable(models: OfModels): string {
  const summaryLines = models.map(
    ([name, { checked }]) =>
      `\`${name}\`: ${checked.n} dead paths of ${checked.sites} sites, expected calibration error ${checked.ece.toFixed(3)}.`,
  );
  const tenths = Array.from({ length: 10 }, (_, i) => i / 10);
  const rows = tenths.map((from) => {
    const cells = models.map(([, { checked }]) => {
      const bin = checked.bins.find((candidate) => Math.abs(candidate.from - from) < 0.01);
      return bin ? `${bin.n} | ${bin.score.toFixed(2)} | ${bin.right.toFixed(2)}` : '0 | | ';
    });
    return `| ${from.toFixed(1)} to ${(from + 0.1).toFixed(1)} | ${cells.join(' | ')} |`;
  });
  const heads = models.map(([name]) => `\`${name}\`: answers | mean score | right`);
  const rule = models.map(() => '---|---|---').join('|');
  return [...summaryLines, '', `| score | ${heads.join(' | ')} |`, `|---|${rule}|`, ...rows].join('\n');
}

/** Every page of docs/evidence/decisions with its title. */
function decisionsTable(folder: string): string {
  const pages = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const rows = pages.sort().map((name) => {
    const [, title = name] = /^# (?:\d{4}:? )?(.*)$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    return [`[${name.slice(0, 4)}](${name})`, title];
  });
  return table(['page', 'decision'], rows);
}

function replaceBlock(text: string, name: string, content: string): string {
  // In a document, or in the comments of another file.
  const pattern = new RegExp(
    `((?:<!-- ${name} -->|# ${name})\\n)[\\s\\S]*?( *(?:<!-- end of ${name} -->|# end of ${name}\\n))`,
  );
  if (!pattern.test(text)) throw new Error(`no document has the block ${name}`);
  return text.replace(pattern, (_, begin: string, end: string) => `${begin}${content.trimEnd()}\n${end}`);
}

const root = packageRoot();
const models: OfModels = Object.entries(OWN_MODELS).map(([name, folder]) => {
  const manifest = JSON.parse(readFileSync(join(root, 'models', folder, 'manifest.json'), 'utf8')) as {
    calibration: CheckedCalibration;
  };
  return [name, manifest.calibration];
});
const BLOCKS: Record<string, Record<string, string>> = {
  'docs/reference/settings.md': { settings: settingsTable() },
  'docker-compose.yml': {
    'shared settings': composeSettings(undefined, '  '),
    'settings of the api': composeSettings('api', '      '),
    'settings of the worker': composeSettings('worker', '      '),
  },
  '.env.example': { settings: exampleSettings() },
  'docs/reference/api.md': { errors: errorsTable() },
  'docs/reference/formats.md': { formats: formatsTable() },
  'docs/operate/watch.md': { alerts: alertsTable() },
  'docs/operate/monitoring.md': { metrics: metricsTable() },
  'docs/evidence/benchmarks.md': benchmarkTables(join(root, 'docs', 'evidence', 'benchmarks')),
  'docs/evidence/decisions/README.md': { decisions: decisionsTable(join(root, 'docs', 'evidence', 'decisions')) },
  'docs/evidence/relevance.md': { weights: weightsTable(models), reliability: reliabilityTable(models) },
};

const faults: string[] = [];
for (const [name, blocks] of Object.entries(BLOCKS)) {
  const file = join(root, name);
  const before = readFileSync(file, 'utf8');
  const after = Object.entries(blocks).reduce((text, [block, content]) => replaceBlock(text, block, content), before);
  if (after === before) continue;
  if (process.argv.includes('--check')) faults.push(`${name} is out of date: run \`npm run docs\``);
  else writeFileSync(file, after);
}

const described = `${JSON.stringify(describeApi(), null, 2)}\n`;
const WHOLE: Record<string, string> = {
  'docs/openapi.json': described,
  'clients/js/api.d.ts': `// Made from docs/openapi.json by \`npm run docs\`.\n${astToString(await openapiTS(described))}`,
};
for (const [name, content] of Object.entries(WHOLE)) {
  const file = join(root, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
  if (process.argv.includes('--check')) faults.push(`${name} is out of date: run \`npm run docs\``);
  else writeFileSync(file, content);
}

const reasons = readFileSync(join(root, 'docs', 'evidence', 'dependencies.md'), 'utf8');
const slices = readFileSync(join(root, 'src/README.md'), 'utf8');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  string,
  Record<string, string> | undefined
>;
for (const name of [
  ...Object.keys(manifest['dependencies'] ?? {}),
  ...Object.keys(manifest['devDependencies'] ?? {}),
]) {
  if (!reasons.includes(`\`${name}\``))
    faults.push(`docs/evidence/dependencies.md gives no reason for the dependency ${name}`);
}
for (const entry of readdirSync(join(root, 'src'), { withFileTypes: true })) {
  if (entry.isDirectory() && !slices.includes(`\n${entry.name}/`))
    faults.push(`src/README.md's tree lacks src/${entry.name}/`);
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);
