import type { Tenant } from '../../platform/database/session/tenants.js';
import type { MatchedRule } from '../../rules/match-rule.js';
import { moveKeys } from '../../text/paths/move-keys.js';
import { plainPath } from '../../text/paths/plain-path.js';
import { weighKnownMoves } from '../ranking/moves/weigh-moves.js';
import { findKnownMoves } from '../store/known-moves.js';
import type { SearchedProject } from '../store/remembered-pages.js';
import { followRules } from './follow-rules.js';

/** The rule of a path, and the evidence of {@link weighKnownMoves}, without a search; empty when no move is known. */
export async function lookUpMoves(
  of: Tenant & SearchedProject,
  path: string,
): Promise<{ rule: MatchedRule | undefined; moved: Map<string, number> }> {
  const plain = plainPath(path);
  const keys = moveKeys(plain);
  const { moves, rules } = await findKnownMoves(of, keys);
  const { rule } = await followRules(of, { path, keys, rules });
  return { rule, moved: weighKnownMoves(plain, moves, keys, rule) };
}
