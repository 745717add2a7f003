import type { RequestLimits } from '../../platform/settings/config.js';
import type { Actor } from '../../accounts/actor.js';
import { ApiError, invalid } from '../../base/errors.js';
import { compileBody } from '../../base/validate.js';
import { exactly, named, type Operation } from '../../http/operation.js';
import { createBodyReader } from '../../http/read-body.js';
import type { Route, RouteCall } from '../../http/route.js';
import type { Caller } from '../../projects/caller.js';
import { nameKey } from '../../projects/store/keys.js';
import { makeChanges, MAX_CHANGES, undoChange, type Changed } from '../change-rules.js';
import { sourceOf, type RuleChange } from '../rule.js';
import { readRules, type ListedRule } from '../store/rules.js';
import type { RuleRouteDeps } from './read-rules.js';
import { renderSaid, RULE_EXAMPLE, RULE_FIELDS, RULE_ID, SAID, toChange, type SentRule } from './rule-schema.js';

const RESULT = exactly({
  id: RULE_ID,
  outcome: { type: 'string', enum: ['created', 'replaced', 'unchanged', 'removed'] },
  rule: { anyOf: [SAID, { type: 'null' }] },
  replaced: { anyOf: [SAID, { type: 'null' }], description: 'What the path had before.' },
});
const CHANGED = named(
  'RulesChanged',
  exactly({
    change_id: { type: ['integer', 'null'], description: 'For undo; null: all was so before.' },
    rules: { type: 'array', items: RESULT },
  }),
);
const DONE = {
  description: 'Done: an answer for each rule, in their order.',
  schema: CHANGED,
  example: {
    change_id: 7,
    rules: [{ id: RULE_EXAMPLE.id, outcome: 'created', rule: without(RULE_EXAMPLE), replaced: null }],
  },
};

function without({ id, ...rest }: typeof RULE_EXAMPLE): object {
  return id === '' ? {} : rest;
}

export const addRulesOperation = {
  method: 'POST',
  path: '/v1/rules',
  scope: 'rules',
  id: 'addRules',
  summary: 'Makes rules, all or none. A rule for the same path, host and parameters is replaced.',
  description:
    'The body is one rule, or `{"rules": […]}` with up to a thousand. Together they are one change, and undone together.',
  body: {
    type: 'object',
    properties: {
      ...RULE_FIELDS,
      rules: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_CHANGES,
        items: { type: 'object', required: ['path'], properties: RULE_FIELDS },
      },
    },
  },
  examples: {
    one: { summary: 'One rule', value: { path: '/old', target: '/new#part', code: 302 } },
    several: {
      summary: 'Several',
      value: {
        rules: [
          { path: '/p-:id.html', target: '/shop/:id/', host: 'old.example' },
          { path: '/offer', target: '/sale', query: { year: '2025' }, valid_until: '2027-01-01' },
          { path: '/closed/*', action: 'gone', code: 451 },
        ],
      },
    },
  },
  answers: { 200: DONE },
} as const satisfies Operation;

export const changeRuleOperation = {
  method: 'PATCH',
  path: '/v1/rules/{id}',
  scope: 'rules',
  id: 'changeRule',
  summary: 'Changes some fields of a rule. With another path or host it gets another identifier.',
  pathParameters: { type: 'object', required: ['id'], properties: { id: RULE_ID } },
  body: { type: 'object', properties: RULE_FIELDS },
  examples: { code: { summary: 'Another code', value: { code: 308 } } },
  answers: { 200: DONE },
} as const satisfies Operation;

export const removeRuleOperation = {
  method: 'DELETE',
  path: '/v1/rules/{id}',
  scope: 'rules',
  id: 'removeRule',
  summary: 'Removes a rule.',
  pathParameters: { type: 'object', required: ['id'], properties: { id: RULE_ID } },
  answers: { 200: DONE },
} as const satisfies Operation;

export const undoRulesOperation = {
  method: 'POST',
  path: '/v1/rules/undo',
  scope: 'rules',
  id: 'undoRuleChange',
  summary: 'Takes back a change: the rules that it replaced are in force again.',
  body: {
    type: 'object',
    required: ['change_id'],
    properties: { change_id: { type: 'integer', minimum: 1, maximum: 0x7fff_ffff, label: 'the number of a change' } },
  },
  examples: { undo: { summary: 'The change that adding rules named', value: { change_id: 7 } } },
  answers: {
    200: {
      description: 'Taken back: that is a change, too.',
      schema: named(
        'RulesUndone',
        exactly({
          change_id: { type: ['integer', 'null'] },
          changed: { type: 'integer' },
          unchanged: { type: 'integer' },
        }),
      ),
      example: { change_id: 8, changed: 1, unchanged: 0 },
    },
  },
} as const satisfies Operation;

export function addRulesRoute(deps: RuleRouteDeps, limits: RequestLimits): Route<RuleChange[]> {
  const check = compileBody(addRulesOperation.body);
  const readBody = createBodyReader(limits.bodyBytes, deps.bytes);
  return {
    ...addRulesOperation,
    read: async (request, response) => {
      const { rules, path, ...rest } = check(await readBody(request, response));
      if (rules !== undefined) return rules.map(toChange);
      if (path === undefined) throw invalid('path', 'Missing required parameter: path (or rules)');
      return [toChange({ path, ...rest })];
    },
    handle: async (call) => {
      await change(deps, call, call.input, call.input.length > 1 ? 'rules' : '');
    },
  };
}

export function changeRuleRoute(deps: RuleRouteDeps, limits: RequestLimits): Route<Partial<SentRule> & { id: string }> {
  const check = compileBody(changeRuleOperation.body);
  const readBody = createBodyReader(limits.bodyBytes, deps.bytes);
  return {
    ...changeRuleOperation,
    read: async (request, response) => ({ id: idOf(request.params), ...check(await readBody(request, response)) }),
    handle: async (call) => {
      const { id, ...fields } = call.input;
      const was = await readRule(deps, call.caller, id);
      const { match: _match, ...before } = renderSaid(was) as unknown as SentRule & { query: unknown };
      // Another action has other codes, and no target.
      const kept =
        fields.action === undefined || fields.action === was.action ? before : { ...before, code: null, target: null };
      const match = was.kind === 'exact' && fields.path === undefined ? { match: 'path' as const } : {};
      const next = toChange({
        ...kept,
        pass_query: fields.action === undefined ? kept.pass_query : false,
        ...match,
        ...fields,
      });
      await change(deps, call, [{ path: sourceOf(was), action: 'remove', ...match }, next], '');
    },
  };
}

export function removeRuleRoute(deps: RuleRouteDeps): Route<{ id: string }> {
  return {
    ...removeRuleOperation,
    read: (request) => ({ id: idOf(request.params) }),
    handle: async (call) => {
      const was = await readRule(deps, call.caller, call.input.id);
      const match = was.kind === 'exact' ? { match: 'path' as const } : {};
      await change(deps, call, [{ path: sourceOf(was), action: 'remove', ...match }], '');
    },
  };
}

export function undoRulesRoute(deps: RuleRouteDeps, limits: RequestLimits): Route<{ change_id: number }> {
  const check = compileBody(undoRulesOperation.body);
  const readBody = createBodyReader(limits.bodyBytes, deps.bytes);
  return {
    ...undoRulesOperation,
    read: async (request, response) => check(await readBody(request, response)),
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
  changes: readonly RuleChange[],
  field: string,
): Promise<void> {
  const by = await actorOf(deps, caller);
  const made = await deps.bulkheads.writes.run(
    caller.projectId,
    () => makeChanges(deps, caller.projectId, changes, { by, origin: 'person', field }),
    gone(),
  );
  response.json({
    change_id: made.changed.change_id,
    rules: made.rules.map(({ key, before, after, isSame }) => ({
      id: key,
      outcome: isSame ? 'unchanged' : after === null ? 'removed' : before === null ? 'created' : 'replaced',
      rule: after && renderSaid(after),
      replaced: before && !isSame ? renderSaid(before) : null,
    })),
  });
}

function idOf({ id }: { id?: string | string[] }): string {
  if (typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id)) throw noRule();
  return id;
}

const noRule = (): ApiError => new ApiError('not_found', { message: 'There is no rule with this id.' });

async function readRule({ tenants }: RuleRouteDeps, { projectId }: Caller, id: string): Promise<ListedRule> {
  const [rule] = await readRules(tenants.of(projectId).db, projectId, [Buffer.from(id, 'hex')]);
  if (!rule) throw noRule();
  return rule;
}

/** The key's owner gave it a name. */
async function actorOf({ db }: RuleRouteDeps, { keyId }: Caller): Promise<Actor> {
  const name = `API key ${await nameKey(db, keyId)}`;
  return { name, userId: null, who: name, method: null, address: '' };
}
