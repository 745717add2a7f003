import { isMap, type Node } from 'yaml';
import { parse as parseTomlText } from 'smol-toml';
import { invalid, messageOf, OperatorError } from '../../base/errors.js';
import { MAX_LEVELS } from '../../base/json.js';
import { parseYaml, YamlError, type Yaml } from '../../text/parse-yaml.js';
import { readNetlify, redirectsOf } from './hosts.js';
import { readIisConfig } from './iis-config.js';
import type { DocumentRule } from './read-rule.js';
import { nameOf, optionOf, readTraefikMiddlewares, tableOf, type Table } from './traefik.js';

/** A document that can be read, and says other things to its host. */
export class NoRedirects extends OperatorError {}

/** A document is read whole. 10,000 rules take about 2 MB. */
export const MAX_DOCUMENT = 16 * 1024 * 1024;

/** The first line of a document in TOML: `[[redirects]]`, `[http.middlewares.old]`. */
export const TOML_BEGINS = /^\s*\[{1,2}\s*(?:redirects|build|http)\b[^,]*\]\s*$/i;

/**
 * The rules of `vercel.json`, `netlify.toml`, a dynamic configuration of Traefik (YAML, JSON or TOML) or of IIS
 * (`web.config`, or a file of its rewrite maps).
 * @throws OperatorError if it is another format
 */
export function readDocument(name: string, text: string): DocumentRule[] {
  if (text.trimStart().startsWith('<')) return readIisConfig(text);
  if (/\.toml$/i.test(name) || TOML_BEGINS.test(firstLine(text))) return readToml(name, text);
  const yaml = readYaml(name, text);
  const root = yaml.document.contents;
  const lineOf = (node: Node): number => yaml.lineOf(node.range?.[0] ?? 0);
  const redirects = redirectsOf(root);
  if (redirects)
    return redirects.items.map((item) => ({
      line: item instanceof Object && 'range' in item ? lineOf(item as Node) : 1,
      rule: () => {
        if (!isMap(item)) throw invalid(undefined, 'a redirect must be an object with source and destination.');
        return redirects.read(item);
      },
    }));
  const http = nameOf(isMap(root) ? root.items.map(({ key }) => String(key)) : [], 'http');
  if (!isMap(root) || !root.has(http))
    throw new NoRedirects(`${name}:1: neither \`redirects\` as in vercel.json nor \`http.middlewares\` as in Traefik`);
  const options = tableOf(optionOf(yaml.document.toJS({ maxAliasCount: 100 }), http));
  return readTraefikMiddlewares(options).map(({ name: middleware, rule }) => {
    const node = root.getIn([http, nameOf(Object.keys(options), 'middlewares'), middleware], true);
    return { line: isMap(node) ? lineOf(node) : 1, rule, isOfServer: true };
  });
}

function readYaml(name: string, text: string): Yaml {
  try {
    const yaml = parseYaml(text);
    if (yaml.secondLine === undefined) return yaml;
    throw new YamlError('it holds several documents', yaml.secondLine);
  } catch (error) {
    if (error instanceof YamlError) throw new OperatorError(`${name}:${error.line}: ${error.message}`);
    throw error;
  }
}

function readToml(name: string, text: string): DocumentRule[] {
  let root: Table;
  try {
    root = parseTomlText(text, { maxDepth: MAX_LEVELS });
  } catch (error) {
    throw new OperatorError(`${name}: ${messageOf(error).split('\n')[0] ?? ''}`, { cause: error });
  }
  const lines = text.split('\n');
  const linesOf = (header: RegExp): number[] => lines.flatMap((line, at) => (header.test(line) ? [at + 1] : []));
  const redirects = root['redirects'];
  if (Array.isArray(redirects)) {
    const begun = linesOf(/^\s*\[\[\s*redirects\s*\]\]/);
    return redirects.map((one: unknown, at) => ({ line: begun[at] ?? 1, rule: () => readNetlify(one) }));
  }
  const http = optionOf(root, 'http');
  if (http === undefined)
    throw new NoRedirects(
      `${name}: neither \`[[redirects]]\` as in netlify.toml nor \`[http.middlewares]\` of Traefik`,
    );
  const headers = lines.map((line) => /^\s*\[\s*http\.middlewares\.["']?([\w@-]+)/i.exec(line)?.[1]);
  const begun = new Map(headers.map((middleware, at) => [middleware, at + 1]));
  return readTraefikMiddlewares(tableOf(http)).map(({ name: middleware, rule }) => ({
    line: begun.get(middleware) ?? 1,
    rule,
    isOfServer: true,
  }));
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
}
