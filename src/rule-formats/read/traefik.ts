import { readHostExpression, readHosts, withConditions } from './conditions.js';
import { readExpression, splitRequest } from './expressions.js';
import { skipConditional, skipPattern, type ReadRule, type Rule } from './read-rule.js';
import { toMatchedRule } from './to-rule.js';

/** A table of a configuration, of YAML, JSON or TOML. */
export type Table = Readonly<Record<string, unknown>>;

export function tableOf(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

/** The name of an option as it is written: Traefik compares names without case. */
export function nameOf(names: readonly string[], option: string): string {
  return names.find((name) => name.toLowerCase() === option.toLowerCase()) ?? option;
}

export function optionOf(value: unknown, option: string): unknown {
  const table = tableOf(value);
  return table[nameOf(Object.keys(table), option)];
}

/** A part of a router's rule that says nothing of the path. */
const OF_HOSTS = /^Host(?:Regexp)?\((?:`[^`]*`[, ]*)+\)$/;

/** Of the routers that a middleware is used by: which hosts; undefined: any. Or what else they ask for. */
type Use = { hosts: readonly string[] | undefined } | { condition: string };

/** The middlewares `redirectRegex` of a dynamic configuration of Traefik, by their names. */
export function readTraefikMiddlewares(http: Table): { name: string; rule: ReadRule }[] {
  const uses = usesOf(http);
  return Object.entries(tableOf(optionOf(http, 'middlewares'))).flatMap(([name, value]) => {
    const redirect = optionOf(value, 'redirectRegex');
    return redirect === undefined ? [] : [{ name, rule: () => readRedirect(tableOf(redirect), uses.get(name)) }];
  });
}

/** The uses of middlewares that routers have. Chains hand on theirs. */
function usesOf(http: Table): ReadonlyMap<string, Use> {
  const chains = tableOf(optionOf(http, 'middlewares'));
  const found = new Map<string, Use>();
  const waiting = Object.values(tableOf(optionOf(http, 'routers'))).map((router) => ({
    names: namesOf(optionOf(router, 'middlewares')),
    use: readRouter(textOf(optionOf(router, 'rule'))),
  }));
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const name of next.names) {
      const before = found.get(name);
      const use = before ? either(before, next.use) : next.use;
      if (use === before) continue;
      found.set(name, use);
      const parts = namesOf(optionOf(optionOf(chains[name], 'chain'), 'middlewares'));
      if (parts.length > 0) waiting.push({ names: parts, use });
    }
  return found;
}

/** A use that holds for both; the first itself, if the second adds nothing. */
function either(before: Use, next: Use): Use {
  if ('condition' in next) return before;
  if ('condition' in before) return next;
  if (before.hosts === undefined || next.hosts?.every((host) => before.hosts?.includes(host))) return before;
  return { hosts: next.hosts && [...new Set([...before.hosts, ...next.hosts])] };
}

function readRouter(rule: string): Use {
  const parts = rule.split('||').map((part) => part.trim());
  if (parts.some((part) => part === '' || part === 'PathPrefix(`/`)')) return { hosts: undefined };
  const hosts = parts.map((part) => (OF_HOSTS.test(part) ? hostsOf(part) : undefined));
  return hosts.includes(undefined) ? { condition: rule } : { hosts: [...new Set(hosts.flatMap((one) => one ?? []))] };
}

/** Of `Host(`a.example`, `b.example`)`. */
function hostsOf(part: string): string[] | undefined {
  const texts = [...part.matchAll(/`([^`]*)`/g)].map(([, text = '']) => text);
  if (!part.startsWith('HostRegexp')) return readHosts(texts);
  const read = texts.map(readHostExpression);
  return read.includes(undefined) ? undefined : read.flatMap((one) => one ?? []);
}

/** Names may have their provider behind them: `old@file`. */
function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map((one) => textOf(one).replace(/@\w+$/, '')) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Traefik compares the whole url: with any host, or one. */
function readRedirect(redirect: Table, use: Use | undefined): Rule | Rule[] {
  const [regex, replacement] = [textOf(optionOf(redirect, 'regex')), textOf(optionOf(redirect, 'replacement'))];
  if (use && 'condition' in use) return skipConditional(`${use.condition}: ${regex}`);
  const [, host = '', path] = /^\^https\??:\/\/((?:(?!\/|\[\^).|\[\^\/\]\+)+)(\/.*)$/s.exec(regex) ?? [];
  if (path === undefined) return skipPattern(regex, replacement, 'it is not an expression for a whole url');
  const hosts = /^(?:\[\^\/\]\+|\(\?:\[\^\/\]\+\))$/.test(host) ? [] : readHostExpression(`^${host}$`);
  if (!hosts) return skipPattern(regex, replacement, `${host} is neither one host nor any`);
  const code = optionOf(redirect, 'permanent') === true ? 301 : 302;
  // Groups of the host come first; what they matched is no part of a pattern.
  const ofHost = host.match(/\((?!\?)/g)?.length ?? 0;
  const target = replacement
    .replaceAll('$$', '$')
    .replace(/\$\{?(\d)\}?/g, (_, part: string) =>
      Number(part) > ofHost ? `\${${Number(part) - ofHost}}` : '${host}',
    );
  const request = splitRequest(`^${path}`);
  const rule = toMatchedRule(regex, readExpression(request.path, true), { code, target });
  const ofRegex = { hosts: hosts.length > 0 ? hosts : undefined, query: request.query };
  return withConditions(rule, regex, [ofRegex, use ?? {}]);
}
