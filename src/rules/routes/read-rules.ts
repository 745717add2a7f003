import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { mapYielding } from '../../base/map-yielding.js';
import { RULE_ACTIONS } from '../../base/glossary.js';
import { compileBody } from '../../base/validate.js';
import { exactObject, named, type Operation } from '../../http/operation.js';
import { createInputReader, readQueryString } from '../../http/read-body.js';
import type { InputOf, Route } from '../../http/route.js';
import { listChanges, listRules } from '../list-rules.js';
import { openRuleMatcher } from '../preview/rule-matcher.js';
import { checkChange, type RuleDeps } from '../rule.js';
import { RULE_STATUSES } from '../store/rules.js';
import {
  RULE_EXAMPLE,
  renderRule,
  renderRuleSummary,
  RULE,
  RULE_FIELDS,
  RULE_SUMMARY,
  toChange,
} from './rule-schema.js';

export interface RuleRouteDeps extends RuleDeps {
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
}

const PAGED = {
  limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 50, label: 'a whole number from 1 to 1000' },
  cursor: { type: 'string', label: 'one text', description: 'The `next_cursor` of the answer before.' },
} as const;

export const listRulesOperation = {
  method: 'GET',
  path: '/v1/rules',
  scope: 'rules',
  id: 'listRules',
  summary: 'Lists the rules of the project, by path.',
  query: {
    type: 'object',
    properties: {
      host: {
        type: 'string',
        maxLength: 300,
        label: 'one host',
        description: 'Only those for it; empty: those for any.',
      },
      status: { type: 'string', enum: RULE_STATUSES, label: `one of ${RULE_STATUSES.join(', ')}` },
      action: { type: 'string', enum: RULE_ACTIONS, label: `one of ${RULE_ACTIONS.join(', ')}` },
      search: { type: 'string', maxLength: 500, label: 'one text', description: 'In their host, path or target.' },
      ...PAGED,
    },
  },
  answers: {
    200: {
      description: 'Some rules, and where the next ones begin.',
      schema: named(
        'RuleList',
        exactObject({ rules: { type: 'array', items: RULE }, next_cursor: { type: ['string', 'null'] } }),
      ),
      example: {
        rules: [RULE_EXAMPLE],
        next_cursor: null,
      },
    },
  },
} as const satisfies Operation;

type ListInput = InputOf<typeof listRulesOperation>;

export function listRulesRoute(deps: RuleRouteDeps): Route<ListInput> {
  const check = compileBody(listRulesOperation.query);
  return {
    ...listRulesOperation,
    read: (request) => check(readQueryString(request, listRulesOperation.query)),
    handle: async ({ caller, input, response, gone }) => {
      const work = (): ReturnType<typeof listRules> => listRules(deps, caller.projectId, input);
      const { rules, next_cursor } = await deps.bulkheads.searches.run(caller.projectId, work, gone());
      response.json({ rules: rules.map(renderRule), next_cursor });
    },
  };
}

export const ruleHistoryOperation = {
  method: 'GET',
  path: '/v1/rules/history',
  scope: 'rules',
  id: 'listRuleChanges',
  summary: 'Lists what was changed about rules, the latest first. Each change can be undone.',
  query: { type: 'object', properties: PAGED },
  answers: {
    200: {
      description: 'Some changes, each with its first rules, and where the next ones begin.',
      schema: named(
        'RuleChangeList',
        exactObject({
          changes: {
            type: 'array',
            items: {
              type: 'object',
              required: ['change_id', 'changed_at', 'changed_by', 'kind', 'count', 'rules'],
              properties: {
                change_id: { type: 'integer' },
                changed_at: { type: 'string' },
                changed_by: { type: 'string' },
                kind: { type: 'string' },
                count: { type: 'integer', description: 'Rules that it changed.' },
                rules: { type: 'array', items: { type: 'object' } },
              },
            },
          },
          next_cursor: { type: ['string', 'null'] },
        }),
      ),
    },
  },
} as const satisfies Operation;

export function ruleHistoryRoute(deps: RuleRouteDeps): Route<InputOf<typeof ruleHistoryOperation>> {
  const check = compileBody(ruleHistoryOperation.query);
  return {
    ...ruleHistoryOperation,
    read: (request) => check(readQueryString(request, ruleHistoryOperation.query)),
    handle: async ({ caller, input, response, gone }) => {
      const work = (): ReturnType<typeof listChanges> => listChanges(deps, caller.projectId, input);
      response.json(await deps.bulkheads.searches.run(caller.projectId, work, gone()));
    },
  };
}

export const tryRulesOperation = {
  method: 'POST',
  path: '/v1/rules/try',
  scope: 'rules',
  id: 'tryRules',
  summary: 'Shows which rules decide about some paths, with other rules as if they were made. Changes nothing.',
  body: {
    type: 'object',
    required: ['paths'],
    properties: {
      paths: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 4_096 },
        description: 'Paths or urls.',
      },
      rules: { type: 'array', maxItems: 100, items: { type: 'object', required: ['path'], properties: RULE_FIELDS } },
    },
  },
  examples: {
    now: { summary: 'The rules as they are', value: { paths: ['/old/a', 'https://old.example/b?id=7'] } },
    new: {
      summary: 'A rule before it is made',
      value: { paths: ['/old/a'], rules: [{ path: '/old/*', target: '/new/:splat' }] },
    },
  },
  answers: {
    200: {
      description: 'For each path its rule, or null, and where it leads.',
      schema: named(
        'TriedRules',
        exactObject({
          answers: {
            type: 'array',
            items: exactObject({
              path: { type: 'string' },
              rule: { anyOf: [RULE_SUMMARY, { type: 'null' }] },
              to: { type: ['string', 'null'], description: 'The Location; null: no page yet, gone or no rule.' },
            }),
          },
        }),
      ),
    },
  },
} as const satisfies Operation;

export function tryRulesRoute(deps: RuleRouteDeps): Route<InputOf<typeof tryRulesOperation>> {
  return {
    ...tryRulesOperation,
    read: createInputReader(compileBody(tryRulesOperation.body), deps),
    handle: async ({ caller, input: { paths, rules = [] }, response, gone }) => {
      const signal = gone();
      const changes = await mapYielding(rules, (rule, at) =>
        checkChange(toChange(rule, `rules.${at}.`), `rules.${at}`),
      );
      const answers = await deps.bulkheads.searches.run(
        caller.projectId,
        async () => (await openRuleMatcher(caller, changes, signal)).followAll(paths),
        signal,
      );
      response.json({
        answers: answers.map(({ rule, answer = { rule, to: null } }, at) => ({
          path: paths[at],
          rule: answer.rule ? renderRuleSummary(answer.rule) : null,
          to: answer.to,
        })),
      });
    },
  };
}
