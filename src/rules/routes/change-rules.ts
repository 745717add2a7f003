import type { Trx } from '../../platform/database/db.js';
import type { Actor } from '../../accounts/actor.js';
import { ApiError, invalid } from '../../base/errors.js';
import { compileBody } from '../../base/validate.js';
import { createInputReader } from '../../http/read-body.js';
import type { Route, RouteCall } from '../../http/route.js';
import type { Caller } from '../../projects/caller.js';
import { readKeyName } from '../../projects/store/keys.js';
import { applyRuleChanges, undoChange, type Changed } from '../change-rules.js';
import { hostIn } from '../../rule-formats/read/source-address.js';
import { sourceOf, type RuleChange } from '../rule.js';
import { readRules, type ListedRule } from '../store/rules.js';
import type { RuleRouteDeps } from './read-rules.js';
import { renderRuleSummary, toChange, type SentRule } from './rule-schema.js';
import {
  addRulesOperation,
  changeRuleOperation,
  removeRuleOperation,
  undoRulesOperation,
} from './change-operations.js';

export function addRulesRoute(deps: RuleRouteDeps): Route<RuleChange[]> {
  const readInput = createInputReader(compileBody(addRulesOperation.body), deps);
  return {
    ...addRulesOperation,
    read: async (request, response) => {
      const { rules, path, ...rest } = await readInput(request, response);
      if (rules !== undefined && path !== undefined) throw invalid('path', 'path and rules are two ways: send one.');
      if (rules !== undefined) return rules.map((rule, at) => toChange(rule, `rules.${at}.`));
      if (path === undefined) throw invalid('path', 'Missing required parameter: path (or rules)');
      return [toChange({ path, ...rest })];
    },
    handle: async (call) => {
      await change(deps, call, call.input.length > 1 ? 'rules' : '', call.input);
    },
  };
}

export function changeRuleRoute(deps: RuleRouteDeps): Route<Partial<SentRule> & { id: string }> {
  const readInput = createInputReader(compileBody(changeRuleOperation.body), deps);
  return {
    ...changeRuleOperation,
    read: async (request, response) => ({ id: idOf(request.params), ...(await readInput(request, response)) }),
    handle: async (call) => {
      const { id, ...fields } = call.input;
      await change(deps, call, '', async (trx) => {
        const rule = await readRule(trx, call.caller, id);
        return [removalOf(rule), changedFields(rule, fields)];
      });
    },
  };
}

/**
 * Makes the change that gives a rule other fields. Its parameters stay, unless the path or query that was sent has
 * others.
 */
function changedFields(rule: ListedRule, fields: Partial<SentRule>): RuleChange {
  const [bare = '', query] = rule.path.split('?', 2);
  const { action = rule.action, path = bare } = fields;
  const isOther = action !== rule.action;
  const isAsWas = fields.query === undefined && query !== undefined && !path.includes('?');
  return toChange({
    ...renderRuleSummary(rule),
    match: rule.kind === 'exact' && fields.path === undefined ? 'path' : undefined,
    query: undefined,
    ...(isOther && { code: null, target: null, pass_query: false }),
    ...(hostIn(path) === undefined ? {} : { host: undefined }),
    ...fields,
    path: isAsWas ? `${path}?${query}` : path,
  });
}

function removalOf(rule: ListedRule): RuleChange {
  return { path: sourceOf(rule), action: 'remove', ...(rule.kind === 'exact' && { match: 'path' as const }) };
}

export function removeRuleRoute(deps: RuleRouteDeps): Route<{ id: string }> {
  return {
    ...removeRuleOperation,
    read: (request) => ({ id: idOf(request.params) }),
    handle: async (call) => {
      const { caller, input } = call;
      await change(deps, call, '', async (trx) => [removalOf(await readRule(trx, caller, input.id))]);
    },
  };
}

export function undoRulesRoute(deps: RuleRouteDeps): Route<{ change_id: number }> {
  return {
    ...undoRulesOperation,
    read: createInputReader(compileBody(undoRulesOperation.body), deps),
    handle: async ({ caller, input, response, gone }) => {
      const by = await actorOf(deps, caller);
      const work = (): Promise<Changed> => undoChange(deps, caller.projectId, input.change_id, by);
      response.json(await deps.bulkheads.writes.run(caller.projectId, work, gone()));
    },
  };
}

async function change(
  deps: RuleRouteDeps,
  { caller, response, gone }: RouteCall<unknown>,
  field: string,
  changes: Parameters<typeof applyRuleChanges>[2],
): Promise<void> {
  const by = await actorOf(deps, caller);
  const made = await deps.bulkheads.writes.run(
    caller.projectId,
    () => applyRuleChanges(deps, caller.projectId, changes, { by, origin: 'person', field }),
    gone(),
  );
  response.json({
    change_id: made.changed.change_id,
    rules: made.rules.map(({ scope, before, after, isSame }) => ({
      id: scope.key,
      outcome: isSame ? 'unchanged' : after === null ? 'removed' : before === null ? 'created' : 'replaced',
      rule: after && renderRuleSummary(after),
      replaced: before && !isSame ? renderRuleSummary(before) : null,
    })),
  });
}

function idOf({ id }: { id?: string | string[] }): string {
  if (typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id)) throw noRule();
  return id;
}

const noRule = (): ApiError => new ApiError('not_found', { message: 'There is no rule with this id.' });

async function readRule(trx: Trx, { projectId }: Caller, id: string): Promise<ListedRule> {
  const [rule] = await readRules(trx, projectId, [Buffer.from(id, 'hex')]);
  if (!rule) throw noRule();
  return rule;
}

/** The actor of a call has the name that the owner of its API key chose. */
async function actorOf({ db }: RuleRouteDeps, { keyId }: Caller): Promise<Actor> {
  const name = `API key ${await readKeyName(db, keyId)}`;
  return { name, userId: null, who: name, method: null, address: '' };
}
