import type { Tenant } from '../../platform/database/session/tenants.js';
import { matchRule, type MatchedRule } from '../../rules/match-rule.js';
import { moveKeys } from '../../text/paths/move-keys.js';
import type { PlainPath } from '../../text/paths/plain-path.js';
import { weighKnownMoves } from '../ranking/moves/weigh-moves.js';
import { findKnownMoves } from '../store/known-moves.js';
import type { SearchedProject } from '../store/remembered-pages.js';

/** The rule of a path, and the evidence of {@link weighKnownMoves}, without a search; empty when no move is known. */
export async function lookUpMoves(
  of: Tenant & SearchedProject,
  path: PlainPath,
): Promise<{ rule: MatchedRule | undefined; moved: Map<string, number> }> {
  const keys = moveKeys(path);
  const { moves, gone } = await findKnownMoves(of, keys);
  const rule = matchRule(moves, gone, keys);
  return { rule, moved: weighKnownMoves(path, moves, keys, rule) };
}
