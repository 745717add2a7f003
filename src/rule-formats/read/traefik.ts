import { readExpression } from './expressions.js';
import { skipConditional, skipPattern, toExpressionRule, type Rule } from './read-rule.js';

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

/** A router of all paths: of hosts alone, or without a rule. */
const ALL_PATHS = /^(?:Host(?:Regexp)?\((?:`[^`()]*`[, ]*)+\)|PathPrefix\(`\/`\))?$/;

/** The middlewares `redirectRegex` of a dynamic configuration of Traefik, by their names. */
export function readTraefikMiddlewares(http: Table): { name: string; rule: () => Rule }[] {
  const conditions = conditionsOf(http);
  return Object.entries(tableOf(optionOf(http, 'middlewares'))).flatMap(([name, value]) => {
    const redirect = optionOf(value, 'redirectRegex');
    return redirect === undefined ? [] : [{ name, rule: () => readRedirect(tableOf(redirect), conditions.get(name)) }];
  });
}

/** Of middlewares that routers have: '' where one has all paths, else the rule of one. Chains hand on theirs. */
function conditionsOf(http: Table): ReadonlyMap<string, string> {
  const chains = tableOf(optionOf(http, 'middlewares'));
  const found = new Map<string, string>();
  const waiting = Object.values(tableOf(optionOf(http, 'routers'))).map((router) => {
    const rule = textOf(optionOf(router, 'rule'));
    const isAll = rule.split('||').every((part) => ALL_PATHS.test(part.trim()));
    return { names: namesOf(optionOf(router, 'middlewares')), condition: isAll ? '' : rule };
  });
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const name of next.names) {
      const before = found.get(name);
      if (before === '' || (before !== undefined && next.condition !== '')) continue;
      found.set(name, next.condition);
      const parts = namesOf(optionOf(optionOf(chains[name], 'chain'), 'middlewares'));
      if (parts.length > 0) waiting.push({ names: parts, condition: next.condition });
    }
  return found;
}

/** Names may have their provider behind them: `old@file`. */
function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map((one) => textOf(one).replace(/@\w+$/, '')) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Traefik compares the whole url; the host is left out. */
function readRedirect(redirect: Table, condition: string | undefined): Rule {
  const [regex, replacement] = [textOf(optionOf(redirect, 'regex')), textOf(optionOf(redirect, 'replacement'))];
  if (condition) return skipConditional(`${condition}: ${regex}`);
  const path = /^\^https\??:\/\/(?:\[\^\/\]\+|\(\?:\[\^\/\]\+\)|(?:\w|-|\\\.)+)(\/.*)$/s.exec(regex)?.[1];
  if (path === undefined) return skipPattern(regex, replacement);
  return toExpressionRule(regex, readExpression(`^${path}`, true), replacement.replaceAll('$$', '$'));
}
