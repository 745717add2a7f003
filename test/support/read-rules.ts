import { RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';

/**
 * Returns the rules of a file as texts: host and path, target, a code that is not 301 or 410, and other terms. A
 * skipped or refused rule is `! LINE`.
 */
export function readRules(format: RedirectFormat, text: string): string[] {
  const file = new RedirectFile(`rules.${format}`, format);
  return [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].flatMap((rule) => {
    if (rule.kind === 'skipped' || rule.kind === 'refused') return [`! ${rule.line}`];
    if (rule.kind === 'nothing' || rule.kind === 'undecided') return [];
    const { host = '', code, passQuery, validFrom, validUntil } = rule.terms ?? {};
    const terms = [code, passQuery && 'passes', validFrom && `from ${validFrom}`, validUntil && `until ${validUntil}`];
    const outcome = 'to' in rule && rule.to !== undefined ? rule.to : 'action' in rule ? rule.action : rule.kind;
    const from = rule.kind === 'wildcard' || (rule.kind === 'bare' && rule.below) ? `${rule.from}*` : rule.from;
    const to = rule.kind === 'wildcard' && rule.keepsRest ? `${outcome}*` : outcome;
    return [[host + from, to, ...terms.filter((term) => term !== undefined)].join(' ')];
  });
}
