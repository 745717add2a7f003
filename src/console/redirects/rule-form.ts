import type { RuleChange } from '../../rules/rule.js';

/** What a rule says beside path and target, as the form has it. */
export function termFields({
  code,
  pass_query,
  valid_from,
  valid_until,
}: Pick<RuleChange, 'code' | 'pass_query' | 'valid_from' | 'valid_until'>): Record<string, string> {
  return {
    ...(code == null ? {} : { code: String(code) }),
    ...(pass_query === true ? { pass_query: 'yes' } : {}),
    ...(valid_from ? { valid_from } : {}),
    ...(valid_until ? { valid_until } : {}),
  };
}
