import { isNode } from 'yaml';
import { parse as parseTomlText } from 'smol-toml';
import { messageOf, OperatorError } from '../../base/errors.js';
import { MAX_LEVELS } from '../../base/json.js';
import { parseYaml, YamlError } from '../../text/parse-yaml.js';
import { readNetlify, readVercel } from './hosts.js';
import { readIisConfig } from './iis-config.js';
import type { ReaderRule, Rule, RuleReader } from './read-rule.js';
import { nameOf, optionOf, readTraefikMiddlewares, tableOf } from './traefik.js';

/** A document that can be read, and says other things to its host. */
export class NoRedirects extends OperatorError {}

/** A document is read whole. 10,000 rules take about 2 MB. */
const MAX_DOCUMENT = 16 * 1024 * 1024;

/** The first line of a document in TOML: `[[redirects]]`, `[http.middlewares.old]`. */
export const TOML_BEGINS = /^\s*\[{1,2}\s*(?:redirects|build|http)\b[^,]*\]\s*$/i;

/** What a parser found in a document, and where. */
interface Parsed {
  root: unknown;
  /** Reads a redirect of a host. */
  readRedirect: (value: unknown) => Rule | Rule[];
  lineOfRedirect: (at: number) => number;
  lineOfMiddleware: (name: string) => number;
  /** What is missing where there are neither redirects nor middlewares. */
  missing: string;
}

/**
 * `vercel.json`, `netlify.toml`, a dynamic configuration of Traefik (YAML, JSON or TOML) or of IIS (`web.config`, or a
 * file of its rewrite maps), which is read at its end.
 */
export class ConfigDocument implements RuleReader {
  isOfServer = false;
  readonly #name: string;
  readonly #lines: string[] = [];
  #length = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws OperatorError if it is too long */
  push(text: string, line: number): ReaderRule[] {
    while (this.#lines.length < line - 1) this.#lines.push('');
    this.#lines.push(text);
    this.#length += text.length + 1;
    if (this.#length > MAX_DOCUMENT)
      throw new OperatorError(`${this.#name} is longer than ${MAX_DOCUMENT / 1024 / 1024} MB: split it.`);
    return [];
  }

  /** @throws OperatorError if it is another format */
  end(): ReaderRule[] {
    const text = this.#lines.join('\n');
    const isIis = text.trimStart().startsWith('<');
    const parsed = isIis ? undefined : this.#parse(text);
    const redirects = parsed && (Array.isArray(parsed.root) ? parsed.root : tableOf(parsed.root)['redirects']);
    if (parsed && Array.isArray(redirects))
      return redirects.map((one: unknown, at) => ({
        line: parsed.lineOfRedirect(at),
        rule: () => parsed.readRedirect(one),
      }));
    const rules = parsed ? this.#readTraefik(parsed) : readIisConfig(text);
    this.isOfServer = rules.length > 0;
    return rules;
  }

  #readTraefik({ root, missing, lineOfMiddleware }: Parsed): ReaderRule[] {
    const http = optionOf(root, 'http');
    if (http === undefined) throw new NoRedirects(`${this.#name}${missing}`);
    return readTraefikMiddlewares(tableOf(http)).map(({ name, rule }) => ({ line: lineOfMiddleware(name), rule }));
  }

  #parse(text: string): Parsed {
    const first = text.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
    const isToml = /\.toml$/i.test(this.#name) || TOML_BEGINS.test(first);
    try {
      return isToml ? parseToml(text) : parseYamlOrJson(text);
    } catch (error) {
      const line = error instanceof YamlError ? `:${error.line}` : '';
      throw new OperatorError(`${this.#name}${line}: ${messageOf(error).split('\n')[0] ?? ''}`, { cause: error });
    }
  }
}

function parseYamlOrJson(text: string): Parsed {
  const { document, lineOf, secondLine } = parseYaml(text);
  if (secondLine !== undefined) throw new YamlError('it holds several documents', secondLine);
  const root: unknown = document.toJS({ maxAliasCount: 100 });
  const lineAt = (...path: unknown[]): number => {
    const node = document.getIn(path, true);
    return isNode(node) ? lineOf(node.range?.[0] ?? 0) : 1;
  };
  const http = nameOf(Object.keys(tableOf(root)), 'http');
  const middlewares = nameOf(Object.keys(tableOf(optionOf(root, 'http'))), 'middlewares');
  return {
    root,
    readRedirect: readVercel,
    lineOfRedirect: (at) => (Array.isArray(root) ? lineAt(at) : lineAt('redirects', at)),
    lineOfMiddleware: (name) => lineAt(http, middlewares, name),
    missing: ':1: neither `redirects` as in vercel.json nor `http.middlewares` as in Traefik',
  };
}

function parseToml(text: string): Parsed {
  const lines = text.split('\n');
  const redirects = lines.flatMap((line, at) => (/^\s*\[\[\s*redirects\s*\]\]/.test(line) ? [at + 1] : []));
  const headers = lines.map((line) => /^\s*\[\s*http\.middlewares\.["']?([\w@-]+)/i.exec(line)?.[1]);
  return {
    root: parseTomlText(text, { maxDepth: MAX_LEVELS }),
    readRedirect: readNetlify,
    lineOfRedirect: (at) => redirects[at] ?? 1,
    lineOfMiddleware: (name) => headers.lastIndexOf(name) + 1 || 1,
    missing: ': neither `[[redirects]]` as in netlify.toml nor `[http.middlewares]` of Traefik',
  };
}
