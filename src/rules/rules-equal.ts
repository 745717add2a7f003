import type { RuleAction, RuleKind } from '../base/glossary.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';

interface Meaning {
  kind: RuleKind;
  action: RuleAction;
  target: string | null;
}

/** Whether two rules of one scope say the same; null: there is none. */
export function rulesEqual(a: Meaning | null, b: Meaning | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.action !== b.action) return false;
  if (a.target === null || b.target === null) return a.target === b.target;
  const [one, other] = [targetOf(a.kind, a.target), targetOf(b.kind, b.target)];
  // A redirect that was written with a path alone is listed with its page's whole url as soon as the page is there.
  return one.key === other.key && (one.host === other.host || one.host === null || other.host === null);
}

function targetOf(kind: RuleKind, target: string): { key: string; host: string | null } {
  const keepsRest = kind !== 'exact' && target.endsWith(':splat');
  const bare = keepsRest ? target.slice(0, -':splat'.length) : target;
  const url = parsePageUrl(bare);
  return { key: `${pathKey(url?.path ?? bare).toString('hex')} ${keepsRest}`, host: url?.host ?? null };
}
