import { exactObject, named, type Operation } from '../../http/operation.js';
import { MAX_CHANGES } from '../change-rules.js';
import { RULE_EXAMPLE, RULE_FIELDS, RULE_ID, RULE_SUMMARY, SUMMARY_EXAMPLE } from './rule-schema.js';

const RESULT = exactObject({
  id: RULE_ID,
  outcome: { type: 'string', enum: ['created', 'replaced', 'unchanged', 'removed'] },
  rule: { anyOf: [RULE_SUMMARY, { type: 'null' }] },
  replaced: { anyOf: [RULE_SUMMARY, { type: 'null' }], description: 'What the path had before.' },
});
const CHANGED = named(
  'RulesChanged',
  exactObject({
    change_id: { type: ['integer', 'null'], description: 'For undo; null: all was so before.' },
    rules: { type: 'array', items: RESULT },
  }),
);
const DONE = {
  description: 'Done: an answer for each rule, in their order.',
  schema: CHANGED,
  example: {
    change_id: 7,
    rules: [{ id: RULE_EXAMPLE.id, outcome: 'created', rule: SUMMARY_EXAMPLE, replaced: null }],
  },
};

export const addRulesOperation = {
  method: 'POST',
  path: '/v1/rules',
  scope: 'rules',
  id: 'addRules',
  summary: 'Makes rules, all or none. A rule for the same path, host and parameters is replaced.',
  description:
    'The body is one rule, or `{"rules": […]}` with up to a thousand. Together they are one change, and undone together. A project may have 1,000 wildcards and patterns.',
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
  examples: {
    code: { summary: 'Another code', value: { code: 308 } },
    end: { summary: 'An end', value: { valid_until: '2027-01-01' } },
  },
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
  examples: {
    added: { summary: 'The change that adding rules named', value: { change_id: 7 } },
    listed: { summary: 'A change of the history', value: { change_id: 3 } },
  },
  answers: {
    200: {
      description: 'Taken back: that is a change, too.',
      schema: named(
        'RulesUndone',
        exactObject({
          change_id: { type: ['integer', 'null'] },
          changed: { type: 'integer' },
          unchanged: { type: 'integer' },
        }),
      ),
      example: { change_id: 8, changed: 1, unchanged: 0 },
    },
  },
} as const satisfies Operation;
