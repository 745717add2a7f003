import { isMap, isSeq, isScalar, type Node, type YAMLMap } from '#yaml';
import { invalid, OperatorError } from '../../base/errors.js';
import { parseYaml, YamlError, type Yaml } from '../../text/parse-yaml.js';
import { readExpression, readLiteral } from './expressions.js';
import { readNetlifyToml } from './netlify-toml.js';
import { skipPattern, toExpressionRule, toGone, toGoneExpression, toRule, toWildcard, type Rule } from './read-rule.js';

/** A rule of a document, to be read at its line. */
export interface DocumentRule {
  line: number;
  rule: () => Rule;
  /** Of Traefik or IIS, and not of a host. */
  isOfServer?: true;
}

/** A document that can be read, and says other things to its host. */
export class NoRedirects extends OperatorError {}

/** A document is read whole. 10,000 rules take about 2 MB. */
export const MAX_DOCUMENT = 16 * 1024 * 1024;

/**
 * The rules of `vercel.json`, `netlify.toml`, a dynamic configuration of Traefik (YAML or JSON) or IIS's `web.config`.
 * @throws OperatorError if it is none of these
 */
export function readDocument(name: string, text: string): DocumentRule[] {
  if (text.trimStart().startsWith('<')) return readWebConfig(text);
  if (/\.toml$/i.test(name)) return readNetlifyToml(name, text);
  const yaml = readYaml(name, text);
  const root = yaml.document.contents;
  const lineOf = (node: Node): number => yaml.lineOf(node.range?.[0] ?? 0);
  const redirects = isMap(root) ? root.get('redirects', true) : isSeq(root) ? root : undefined;
  if (isSeq(redirects))
    return redirects.items.map((item) => ({
      line: item instanceof Object && 'range' in item ? lineOf(item as Node) : 1,
      rule: () => {
        if (!isMap(item)) throw invalid(undefined, 'a redirect must be an object with source and destination.');
        return readVercel(item);
      },
    }));
  const middlewares = isMap(root) ? root.getIn(['http', 'middlewares'], true) : undefined;
  if (!isMap(middlewares) && isMap(root) && root.has('http')) return [];
  if (!isMap(middlewares))
    throw new NoRedirects(`${name}:1: neither \`redirects\` as in vercel.json nor \`http.middlewares\` as in Traefik`);
  return middlewares.items.flatMap(({ value }) => {
    const redirect = isMap(value) ? value.get('redirectRegex', true) : undefined;
    return isMap(redirect)
      ? [{ line: lineOf(redirect), rule: () => readTraefik(redirect), isOfServer: true as const }]
      : [];
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

function textOf(map: YAMLMap, key: string): string {
  const value = map.get(key, true);
  return isScalar(value) && typeof value.value === 'string' ? value.value : '';
}

/** `{"source": "/old/:rest*", "destination": "/new/:rest*", "has": [{"type": "query", "key": "id", "value": "7"}]}` */
function readVercel(item: YAMLMap): Rule {
  const [source, destination] = [textOf(item, 'source'), textOf(item, 'destination')];
  const text = `${source} ${destination}`;
  const parameters: string[] = [];
  for (const condition of ['has', 'missing'].flatMap((key) => itemsOf(item, key))) {
    const [type, key, value] = ['type', 'key', 'value'].map((name) => textOf(condition, name));
    if (type !== 'query' || value === undefined || /[^\w.~%=-]/.test(value))
      return { kind: 'skipped', reason: 'conditional', text };
    parameters.push(value === '' ? (key ?? '') : `${key ?? ''}=${value}`);
  }
  const [, prefix, name] = /^(.*\/):(\w+)(?:\*|\+|\(\.[*+]\))?$/s.exec(source) ?? [];
  if (prefix !== undefined && name !== undefined && parameters.length === 0 && !isPattern(prefix)) {
    const bare = destination.replace(new RegExp(`:${name}[*+]?$`), '');
    if (!/[*+)]$/.test(source) || hasParameter(bare)) return skipPattern(source, destination);
    return toWildcard(unescapeSource(prefix), bare, bare !== destination);
  }
  if (isPattern(source) || hasParameter(destination)) return skipPattern(source, destination);
  const path = unescapeSource(source);
  return toRule(parameters.length === 0 ? path : `${path}?${parameters.join('&')}`, destination);
}

function itemsOf(item: YAMLMap, key: string): YAMLMap[] {
  const list = item.get(key, true);
  return isSeq(list) ? list.items.filter((one) => isMap(one)) : [];
}

function isPattern(source: string): boolean {
  return /[:*+?(){}]/.test(source.replace(/\\./g, ''));
}

function hasParameter(destination: string): boolean {
  return /\/:\w/.test(destination);
}

function unescapeSource(source: string): string {
  return source.replace(/\\(.)/g, '$1');
}

/** Traefik compares the whole url; the host is left out. */
function readTraefik(redirect: YAMLMap): Rule {
  const [regex, replacement] = [textOf(redirect, 'regex'), textOf(redirect, 'replacement')];
  const path = /^\^https\??:\/\/(?:\[\^\/\]\+|\(\?:\[\^\/\]\+\)|(?:\w|-|\\\.)+)(\/.*)$/s.exec(regex)?.[1];
  if (path === undefined) return skipPattern(regex, replacement);
  return toExpressionRule(regex, readExpression(`^${path}`, true), replacement.replaceAll('$$', '$'));
}

/** The rules of a `web.config`: elements `rule` with `match`, `conditions` and `action`. */
function readWebConfig(text: string): DocumentRule[] {
  const rules: DocumentRule[] = [];
  let line = 1;
  let counted = 0;
  let end = -1;
  for (let from = text.indexOf('<rule '); from >= 0;) {
    const next = text.indexOf('<rule ', from + 1);
    // Looked for once, where none is left: a file may begin rules without end.
    if (end < from) end = text.indexOf('</rule>', from);
    if (end < 0) end = text.length;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < from; at = text.indexOf('\n', at + 1)) {
      line++;
      counted = at + 1;
    }
    const element = text.slice(from, next < 0 ? end : Math.min(end, next));
    rules.push({ line, rule: () => readIis(element), isOfServer: true });
    from = next;
  }
  return rules;
}

function readIis(element: string): Rule {
  const match = attributesOf(element, 'match');
  const action = attributesOf(element, 'action');
  const [expression = '', target = ''] = [match.get('url'), action.get('url')];
  const text = `${expression} ${target}`;
  const isGone = action.get('type') === 'CustomResponse' && action.get('statusCode') === '410';
  if (!isGone && action.get('type') !== 'Redirect') return { kind: 'skipped', reason: 'notRedirect', text };
  const condition = attributesOf(element, 'add');
  const matched = readExpression(expression);
  if (condition.size === 0 && isGone) return toGoneExpression(expression, matched);
  if (condition.size === 0) return toExpressionRule(expression, matched, target, /\{R:1\}$/);
  const query = condition.get('input') === '{QUERY_STRING}' ? readLiteral(condition.get('pattern') ?? '') : undefined;
  if (query === undefined || !matched || !('path' in matched)) return { kind: 'skipped', reason: 'conditional', text };
  const address = `${matched.path}?${query}`;
  return isGone ? toGone(address) : toRule(address, target);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function attributesOf(element: string, name: string): Map<string, string> {
  const found = new Map<string, string>();
  const [, attributes = ''] = new RegExp(`<${name}\\s([^<>]*)>`).exec(element) ?? [];
  for (const [, key = '', value = ''] of attributes.matchAll(/\b([a-z]+)="([^"]*)"/gi))
    found.set(
      key,
      value.replace(/&(\w+);/g, (all, entity: string) => ENTITIES[entity] ?? all),
    );
  return found;
}
