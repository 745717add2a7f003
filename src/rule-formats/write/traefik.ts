import { RE2 } from './caddy.js';
import {
  expressionOf,
  hostExpression,
  isClosed,
  parametersOf,
  partsOf,
  re2Escape,
  targetOf,
  textExpression,
  withQuery,
} from './regular-expressions.js';
import type { ExportRule, Matching, RuleFormat } from './written-rule.js';

/** Writes texts as JSON, which is YAML, too. The middlewares are in one chain, which routers name. */
export function createTraefik({ anyCase = false }: Matching = {}): RuleFormat {
  return {
    head: [
      '# Dynamic configuration of Traefik: add the middlewares to your routers, as in the chain `pathmend` at the end.',
      'http:',
      '  middlewares:',
    ],
    foot: traefikChain,
    // For other methods than GET, Traefik makes 308 and 307 of these by itself.
    codes: [301, 302],
    redirectsAlone: true,
    write: (rule, number) => {
      const { host } = rule;
      const end = endOf(rule);
      if (end === undefined)
        return { reason: 'Traefik compares at most two parameters of a query string in any order' };
      const hostPart = host === undefined ? '[^/]+' : `(?i:${hostExpression(host, hostLiteral).replace('(:', '(?::')})`;
      const path = expressionOf(rule, RE2);
      const regex = `^https?://${hostPart}${anyCase ? `(?i:${path})` : path}${end}`;
      const escape = (text: string): string => text.replaceAll('$', '$$$$');
      const target = targetOf(rule, (part) => `\${${part}}`, escape);
      const passed = `\${${partsOf(rule) + 1}}`;
      const query = parametersOf(rule.query).length > 0 ? `?${passed}` : passed;
      return [
        `    pathmend${number}:`,
        '      redirectRegex:',
        `        regex: ${JSON.stringify(regex)}`,
        `        replacement: ${JSON.stringify(rule.passQuery ? withQuery(target, query, `&${passed}`) : target)}`,
        `        permanent: ${rule.code !== 302}`,
      ];
    },
  };
}

const hostLiteral = (text: string): string => textExpression(text, re2Escape);

/** Writes the expression behind the path; undefined if the query string has too many parameters. */
function endOf(rule: ExportRule): string | undefined {
  const { rest, query, passQuery, to } = rule;
  const parameters = parametersOf(query).map(RE2.literal);
  const isOpen = !isClosed(rule) && rest !== 'kept';
  if (parameters.length === 0) {
    const passed = to.includes('?') ? '(?:\\?(.*))?$' : '(\\?.*)?$';
    if (passQuery) return (isOpen ? '[^?]*' : '') + passed;
    return rest === 'dropped' && isOpen ? '([^?]*)(?:\\?.*)?$' : '(?:\\?.*)?$';
  }
  const [first = '', second] = parameters;
  if (parameters.length > 2) return undefined;
  const both = second === undefined ? first : `(?:${first}&(?:.*&)?${second}|${second}&(?:.*&)?${first})`;
  return `${isOpen ? '[^?]*' : ''}\\?((?:.*&)?${both}(?:&.*)?)$`;
}

function traefikChain(rules: number): string[] {
  if (rules === 0) return [];
  const names = Array.from({ length: rules }, (_, at) => `            - pathmend${at + 1}`);
  return ['    pathmend:', '      chain:', '        middlewares:', ...names];
}
