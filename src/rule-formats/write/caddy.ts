import { printablePath } from '../read/source-address.js';
import {
  anyHexCase,
  bytesExpression,
  expressionOf,
  hasPort,
  isClosed,
  mergedPath,
  partsOf,
  queryExpressions,
  re2Escape,
  secondsOf,
  targetOf,
  textExpression,
  withQuery,
  type Dialect,
} from './regular-expressions.js';
import { isRedirect, type AnyRule, type Matching, type RuleFormat } from './written-rule.js';

/** The dialect of RE2, the regular expressions of Go. */
export const RE2: Dialect = { literal: (text) => anyHexCase(textExpression(text, re2Escape)) };

/**
 * Writes regular expressions, because `path` of Caddy makes no difference between cases. `route` keeps the order of
 * lines.
 */
export function createCaddy({ anyCase = false }: Matching = {}): RuleFormat {
  return {
    head: ['# Redirects for a site block of a Caddyfile: import this file there.', 'route {'],
    foot: ['}'],
    hasDates: true,
    write: (rule, number) => {
      const matcher = matcherOf(rule, number, anyCase);
      if (!isRedirect(rule)) return [...matcher, `error @pathmend${number} ${rule.code ?? 410}`];
      const target = targetOf(rule, (part) => `{re.pathmend${number}.${part}}`);
      const query = `{re.pathmend${number}.${partsOf(rule) + 1}}`;
      const to = rule.passQuery ? withQuery(target, query, `&${query}`) : target;
      return [...matcher, `redir @pathmend${number} ${to} ${rule.code ?? 301}`];
    },
  };
}

function matcherOf(rule: AnyRule, number: number, anyCase: boolean): string[] {
  const { host, query, validFrom, validUntil } = rule;
  const parameters = queryExpressions(query, bytesExpression);
  const path = pathLine(rule, number, anyCase ? '(?i)' : '');
  // If a matcher compares several variables, one that matches is enough. So the others stand in a condition.
  const isOne = parameters.length === 1 && path.startsWith('path_regexp');
  const conditions = [
    ...(isOne ? [] : parameters).map((text) => `{http.request.uri.query}.matches(r"${text}")`),
    ...(validFrom === undefined ? [] : [`int({time.now.unix}) >= ${secondsOf(validFrom)}`]),
    ...(validUntil === undefined ? [] : [`int({time.now.unix}) < ${secondsOf(validUntil)}`]),
  ];
  const lines = [
    ...(host === undefined ? [] : [hasPort(host) ? `header Host ${host}` : `host ${host}`]),
    path,
    ...(isOne ? [`vars_regexp {http.request.uri.query} ${parameters.join('')}`] : []),
    ...(conditions.length > 0 ? [`expression \`${conditions.join(' && ')}\``] : []),
  ];
  const name = `@pathmend${number}`;
  return lines.length === 1 ? [`${name} ${lines[0] ?? ''}`] : [`${name} {`, ...lines.map((line) => `  ${line}`), '}'];
}

function pathLine(rule: AnyRule, number: number, noCase: string): string {
  const plain = rule.pattern ? undefined : printablePath(mergedPath(rule.path));
  const isWhole = isClosed(rule);
  const redirect = isRedirect(rule) ? rule : undefined;
  if (!redirect?.rest && !redirect?.passQuery && plain !== undefined) {
    const decoded = expressionOf({ ...rule, path: plain }, { literal: (text) => textExpression(text, re2Escape) });
    return `path_regexp ^${noCase}${decoded}${isWhole ? '$' : '.*$'}`;
  }
  const name = redirect ? ` pathmend${number}` : '';
  const asSent = `^${noCase}${expressionOf(rule, RE2)}`;
  const open = isWhole ? '' : redirect?.rest === 'kept' ? '' : '[^?]*';
  // A target that has a query string gets the request's behind an ampersand.
  const passed = redirect?.to.includes('?') ? '(?:\\?(.*))?$' : '(\\?.*)?$';
  const end = isWhole ? '(?:\\?.*)?$' : redirect?.rest === 'kept' ? '' : '.*$';
  return `vars_regexp${name} {http.request.uri} ${asSent}${redirect?.passQuery ? open + passed : end}`;
}
