import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf, OperatorError } from '../../base/errors.js';
import type { SiteFormat } from '../source.js';
import { readMapping } from './front-matter.js';
import { docusaurusRules } from './generators/docusaurus.js';
import { eleventyRules } from './generators/eleventy.js';
import { hugoRules } from './generators/hugo.js';
import { jekyllRules } from './generators/jekyll.js';
import { mkdocsRules } from './generators/mkdocs.js';
import { plainRules } from './generators/plain.js';
import { sphinxRules } from './generators/sphinx.js';
import { settingsFile } from './site-files.js';
import type { SiteRules } from './site-rules.js';

const MAPPINGS = ['toml', 'yaml', 'yml', 'json'];
const SCRIPTS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'];

/** Configuration files by generator, in the order of detection. */
const CONFIGS: Record<'hugo' | 'jekyll' | 'docusaurus' | 'mkdocs' | 'eleventy' | 'sphinx', readonly string[]> = {
  hugo: [
    ...MAPPINGS.map((ending) => `hugo.${ending}`),
    'config/_default',
    ...MAPPINGS.map((ending) => `config.${ending}`),
  ],
  jekyll: ['_config.yml', '_config.yaml', '_config.toml'],
  docusaurus: SCRIPTS.map((ending) => `docusaurus.config.${ending}`),
  mkdocs: ['mkdocs.yml', 'mkdocs.yaml'],
  eleventy: ['.eleventy.js', ...SCRIPTS.map((ending) => `eleventy.config.${ending}`)],
  sphinx: ['conf.py', 'source/conf.py', 'docs/conf.py', 'docs/source/conf.py', 'doc/conf.py', 'doc/source/conf.py'],
};

/**
 * The rules that turn a folder's files into pages: those of the given generator, or the one whose configuration it has.
 * @throws OperatorError if a configuration cannot be read
 */
export async function openSite(folder: string, format: SiteFormat | undefined, now: number): Promise<SiteRules> {
  const [generator, config] = format === undefined ? detect(folder) : [format, findConfig(folder, format)];
  try {
    switch (generator) {
      case 'hugo':
        return hugoRules(folder, config === undefined ? {} : await readHugoConfig(folder, config), now);
      case 'jekyll':
        return jekyllRules(await readConfig(folder, config), now);
      case 'mkdocs':
        return mkdocsRules(await readConfig(folder, config));
      case 'docusaurus':
        return docusaurusRules(await readScript(folder, config), await readVersions(folder));
      case 'eleventy':
        return eleventyRules(folder, await readScript(folder, config), await readIgnored(folder));
      case 'sphinx':
      case 'sphinx-dirhtml': {
        const at = config === undefined ? '' : config.replace(/\/?conf\.py$/, '');
        return sphinxRules(at, await readScript(folder, config), generator === 'sphinx' ? 'html' : 'dirhtml');
      }
      case 'markdown':
      case 'html':
        return plainRules(generator);
      case undefined:
        return plainRules(undefined);
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${join(folder, config ?? '')} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function detect(folder: string): [SiteFormat | undefined, string | undefined] {
  for (const generator of Object.keys(CONFIGS) as (keyof typeof CONFIGS)[]) {
    const config = findConfig(folder, generator);
    if (config === undefined) continue;
    // Other tools have a config.toml or config.json, too.
    if (generator === 'hugo' && config.startsWith('config.') && !existsSync(join(folder, 'content'))) continue;
    return [generator, config];
  }
  return [undefined, undefined];
}

function findConfig(folder: string, format: SiteFormat): string | undefined {
  const generator = format === 'sphinx-dirhtml' ? 'sphinx' : format;
  if (generator === 'markdown' || generator === 'html') return undefined;
  return CONFIGS[generator].find((name) => existsSync(join(folder, name)));
}

async function readConfig(folder: string, name: string | undefined): Promise<Record<string, unknown>> {
  return name === undefined ? {} : readMappingFile(folder, name);
}

async function readMappingFile(folder: string, name: string): Promise<Record<string, unknown>> {
  const file = settingsFile(folder, name);
  const format = file.endsWith('.toml') ? 'toml' : file.endsWith('.json') ? 'json' : 'yaml';
  return readMapping(await readFile(file, 'utf8'), format);
}

async function readScript(folder: string, name: string | undefined): Promise<string> {
  return name === undefined ? '' : readFile(settingsFile(folder, name), 'utf8');
}

/** Hugo's keys are case-insensitive. In a folder, each file contains the section it is named after. */
async function readHugoConfig(folder: string, at: string): Promise<Record<string, unknown>> {
  if (!at.endsWith('_default')) return lowerKeys(await readMappingFile(folder, at)) as Record<string, unknown>;
  const config: Record<string, unknown> = {};
  for (const name of (await readdir(join(folder, at))).sort()) {
    const [, part = '', ending = ''] = /^([^.]+)\.([a-z]+)$/i.exec(name) ?? [];
    if (!MAPPINGS.includes(ending)) continue;
    const read = lowerKeys(await readMappingFile(folder, `${at}/${name}`));
    if (/^(?:hugo|config)$/i.test(part)) Object.assign(config, read);
    else config[part.toLowerCase()] = read;
  }
  return config;
}

function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(lowerKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), lowerKeys(inner)]));
}

async function readVersions(folder: string): Promise<string[]> {
  const text = await readIfThere(folder, 'versions.json');
  const versions: unknown = text === '' ? [] : JSON.parse(text);
  return Array.isArray(versions)
    ? (versions as unknown[]).filter((one): one is string => typeof one === 'string' && !one.includes('/'))
    : [];
}

async function readIgnored(folder: string): Promise<string> {
  return (await Promise.all(['.gitignore', '.eleventyignore'].map((name) => readIfThere(folder, name)))).join('\n');
}

async function readIfThere(folder: string, name: string): Promise<string> {
  try {
    return await readFile(settingsFile(folder, name), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
