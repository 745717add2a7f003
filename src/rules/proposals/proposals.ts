import { recordChange, type Actor } from '../../accounts/actor.js';
import { findProject } from '../../projects/store/projects.js';
import {
  deleteProposals,
  listProposalRows,
  readProposals,
  rejectProposalRows,
  type ProposalRow,
} from '../store/rule-proposals.js';
import { ApiError, invalid } from '../../base/errors.js';
import type { RuleKind } from '../../base/glossary.js';
import { applyChanges, checkName, MAX_CHANGES } from '../change-rules.js';
import { readLimit, type Page } from '../list-rules.js';
import { isId, readCursor, writeCursor } from '../../base/cursor.js';
import { kindOf } from '../rule-meaning.js';
import { scopeOf, type RuleDeps, type RuleScope } from '../rule.js';
import { readStates } from '../rule-states.js';
import type { Answers } from '../preview/try-rules.js';

/** A rule that the service learned, and what speaks for it. */
export interface Proposal extends Omit<ProposalRow, 'key' | 'paths' | 'requests' | 'examples'> {
  proposal_id: string;
  kind: RuleKind;
  /** The stored 404s that the rule would have answered, in addition to its cases, and that no rule answers now. */
  answers: Answers;
  /** Some stored 404s that it would take, too, though their new page is missing. A server would redirect them. */
  missing: { path: string; requests: number }[];
}

/**
 * Lists proposals, those first that would answer the most stored 404s.
 * @throws ApiError invalid_request
 */
export async function listProposals(
  deps: RuleDeps,
  projectId: string,
  { rejected = false, cursor, limit }: Page & { rejected?: boolean | undefined },
): Promise<{ proposals: Proposal[]; next_cursor: string | null }> {
  const max = readLimit(limit);
  const { db } = deps.tenants.of(projectId);
  const place = cursor === undefined ? undefined : readCursor(cursor, isPlace);
  const after = place && { requests: place[0], confidence: place[1], key: place[2] };
  const listed = await listProposalRows(db, projectId, rejected, after, max + 1);
  const rows = listed.slice(0, max);
  const last = rows.at(-1);
  return {
    proposals: rows.map(toProposal),
    next_cursor: listed.length > max && last ? writeCursor([last.requests, last.confidence, last.key]) : null,
  };
}

function isPlace(value: unknown): value is [requests: number, confidence: number, key: string] {
  const [requests, confidence, key] = Array.isArray(value) ? (value as unknown[]) : [];
  return isId(requests) && typeof confidence === 'number' && typeof key === 'string' && /^[0-9a-f]{64}$/.test(key);
}

export function toProposal({ key, paths, requests, examples, ...row }: ProposalRow): Proposal {
  const kind = kindOf(row.path);
  const answered = examples.filter(({ to }) => to !== null);
  const missing = examples
    .filter(({ to }) => to === null)
    .map((taken) => ({ path: taken.path, requests: taken.requests }));
  return { proposal_id: key, ...row, kind, answers: { paths, requests, examples: answered }, missing };
}

/**
 * Makes rules of proposals: one entry of the history, undone together.
 * @throws ApiError not_found if one is no longer proposed; invalid_request
 */
export async function confirmProposals(deps: RuleDeps, projectId: string, proposalIds: readonly string[], by: Actor) {
  const keys = readIds(proposalIds);
  const { changed } = await applyChanges(
    deps,
    projectId,
    { by, kind: 'confirm', undoes: null },
    async (trx) => {
      const rows = await readProposals(trx, projectId, keys);
      const missing = keys.find((key) => !rows.some((row) => row.key === key.toString('hex')));
      if (missing)
        throw new ApiError('not_found', { message: `There is no proposal ${missing.toString('hex')} any more.` });
      const scopes = rows.map(({ path }) => scopeOf(path));
      const before = await readStates(trx, projectId, scopes);
      const made = { origin: 'learned' as const, made_by: by.name, made_at: new Date(deps.clock.now()).toISOString() };
      return rows.map(({ path, target, confidence }, at) => {
        const scope = scopes[at] as RuleScope;
        const after = { path, kind: scope.kind, action: 'redirect' as const, target, confidence, ...made };
        return { scope, before: before.get(scope.key) ?? null, after };
      });
    },
    (trx) => deleteProposals(trx, projectId, keys),
  );
  return changed;
}

/**
 * Marks proposals as wrong: they are not proposed again.
 * @throws ApiError not_found if none of them is proposed; invalid_request
 */
export async function rejectProposals(deps: RuleDeps, projectId: string, proposalIds: readonly string[], by: Actor) {
  const keys = readIds(proposalIds);
  checkName(by.name);
  const { db } = deps.tenants.of(projectId);
  const rejected = await rejectProposalRows(db, projectId, keys, { by: by.name, at: new Date(deps.clock.now()) });
  if (rejected === 0) throw new ApiError('not_found', { message: 'None of these is proposed any more.' });
  await recordChange(deps.db, by, await findProject(deps.db, projectId), 'proposals rejected', String(rejected));
  return { rejected };
}

function readIds(ids: readonly string[]): Buffer[] {
  if (ids.length === 0 || ids.length > MAX_CHANGES)
    throw invalid('proposal_ids', `proposal_ids must be 1 to ${MAX_CHANGES}.`);
  return [...new Set(ids)].map((id) => {
    if (!/^[0-9a-f]{64}$/.test(id)) throw invalid('proposal_ids', 'proposal_ids must be those of listed proposals.');
    return Buffer.from(id, 'hex');
  });
}
