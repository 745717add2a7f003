import type { SchemaObject } from 'ajv';
import { invalid } from '../../base/errors.js';
import { RULE_ACTIONS } from '../../base/glossary.js';
import { exactObject, named } from '../../http/operation.js';
import { GONE_CODES, REDIRECT_CODES } from '../../rule-formats/read/read-rule.js';
import { comparedQuery, writeQuery } from '../../text/paths/plain-path.js';
import type { RuleChange } from '../rule.js';
import type { RuleMeaning } from '../rule-meaning.js';
import type { ListedRule } from '../store/rules.js';

export const RULE_ID: SchemaObject = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: "The rule's identifier.",
};

const CODES = [...REDIRECT_CODES, ...GONE_CODES];
const QUERY = {
  type: ['string', 'object'],
  pattern: '^ignore$',
  additionalProperties: { type: 'string', maxLength: 500, label: 'a text of at most 500 characters' },
  maxProperties: 20,
  label: '"ignore", or an object of at most 20 parameters such as {"id": "7"}',
  description:
    'Parameters that must be there, in any order; others may be beside them. Those for tracking never matter.',
} as const;

/** The fields of a rule as clients send it. */
export const RULE_FIELDS = {
  path: {
    type: 'string',
    minLength: 1,
    maxLength: 2_048,
    description:
      '`/old`, `/old/*` for all paths below, or a pattern: `/p-:id.html`, `/blog/:number/*`. A full url names the host, too.',
    examples: ['/old'],
  },
  host: { type: ['string', 'null'], maxLength: 300, description: 'The host that it is for; null: any.' },
  match: {
    type: 'string',
    enum: ['path', 'prefix', 'pattern'],
    label: 'path, prefix or pattern',
    description:
      '`path` takes every letter of the path as it is; `prefix` takes `/old/` as `/old/*`. Else it must be what the path reads as.',
  },
  query: QUERY,
  action: { type: 'string', enum: RULE_ACTIONS, label: `one of ${RULE_ACTIONS.join(', ')}`, default: 'redirect' },
  target: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 4_096,
    description:
      'A path of the site, or any url; `:splat` stands for the star, `:id` for the placeholder of that name.',
    examples: ['/new#part'],
  },
  code: {
    type: ['integer', 'null'],
    enum: [...CODES, null],
    label: `one of ${CODES.join(', ')}`,
    description: '301 unless given; of what is gone 410.',
  },
  pass_query: { type: 'boolean', default: false, description: 'Whether the query string is passed on to the target.' },
  valid_from: {
    type: ['string', 'null'],
    maxLength: 40,
    description: 'A date or moment, from which on it holds; a date from 00:00 UTC.',
  },
  valid_until: {
    type: ['string', 'null'],
    maxLength: 40,
    description: 'A moment, up to which it holds; or a date, which is its last whole day in UTC.',
  },
} as const;

export interface SentRule extends Omit<RuleChange, 'action' | 'target'> {
  action?: RuleChange['action'] | undefined;
  target?: string | null | undefined;
  query?: unknown;
}

/** Makes a change of a rule that a client sent. `at` is the beginning of field names in errors. */
export function toChange({ query, action = 'redirect', target, path, ...rest }: SentRule, at = ''): RuleChange {
  const parameters = withQuery('', query).slice(1);
  if (parameters !== '' && comparedQuery(parameters) === '')
    throw invalid(`${at}query`, `${at}query must name parameters, not those for tracking alone.`);
  return { ...rest, path: withQuery(path, query), action, ...(target == null ? {} : { target }) };
}

function withQuery(path: string, query: unknown): string {
  if (query === undefined) return path;
  const [before = ''] = path.split(/[?#]/, 1);
  if (query === 'ignore' || typeof query !== 'object' || query === null) return before;
  const text = writeQuery(query);
  return text === '' ? before : `${before}?${text}`;
}

const OLD = {
  path: { type: 'string' },
  host: { type: ['string', 'null'] },
  match: { type: 'string', enum: ['path', 'prefix', 'pattern'] },
  query: { type: ['string', 'object'], description: '`ignore`, or the parameters that must be there.' },
  action: { type: 'string', enum: RULE_ACTIONS },
  target: { type: ['string', 'null'] },
  code: { type: ['integer', 'null'], description: 'Null of what is ignored.' },
  pass_query: { type: 'boolean' },
  valid_from: { type: ['string', 'null'], description: 'ISO 8601.' },
  valid_until: { type: ['string', 'null'], description: 'ISO 8601.' },
} as const;

export const RULE_SUMMARY: SchemaObject = named('RuleWithoutHits', exactObject(OLD));
export const RULE: SchemaObject = named(
  'Rule',
  exactObject({
    id: RULE_ID,
    ...OLD,
    status: {
      type: 'string',
      enum: ['active', 'waiting', 'not yet', 'ended'],
      description: '`waiting`: the page that it leads to does not exist or is not indexed.',
    },
    source: { type: 'string', description: 'import, sync, person, console or learned.' },
    made_by: { type: ['string', 'null'] },
    created_at: { type: 'string' },
    hits: { type: 'integer', description: 'Answers that it decided.' },
    last_hit_at: { type: ['string', 'null'] },
  }),
);

type RenderedRule = { [Field in keyof Required<Omit<SentRule, 'match'>>]: SentRule[Field] } & {
  match: NonNullable<SentRule['match']>;
};

/** Renders the path, target and terms of a rule as the API shows them. */
export function renderRuleSummary(rule: RuleMeaning): RenderedRule {
  const { path, kind, action, target, host = null, code, pass_query = false, valid_from, valid_until } = rule;
  const at = path.indexOf('?');
  const parameters = at < 0 ? '' : comparedQuery(path.slice(at + 1));
  return {
    path: at < 0 ? path : path.slice(0, at),
    host,
    match: kind === 'exact' ? 'path' : kind,
    query: parameters === '' ? 'ignore' : Object.fromEntries(new URLSearchParams(parameters)),
    action,
    target,
    code: action === 'ignore' ? null : (code ?? (action === 'gone' ? 410 : 301)),
    pass_query,
    valid_from: valid_from ?? null,
    valid_until: valid_until ?? null,
  };
}

export function renderRule(rule: ListedRule): object {
  const { key, status, active, origin, made_by, made_at, hits, last_hit_at } = rule;
  return {
    id: key,
    ...renderRuleSummary(rule),
    status: status === 'active' && !active ? 'waiting' : status,
    source: origin,
    made_by,
    created_at: made_at,
    hits,
    last_hit_at,
  };
}

export const SUMMARY_EXAMPLE = {
  path: '/old',
  host: null,
  match: 'path',
  query: 'ignore',
  action: 'redirect',
  target: '/new#part',
  code: 302,
  pass_query: false,
  valid_from: null,
  valid_until: null,
};

export const RULE_EXAMPLE = {
  id: '9f2c5d3e0a4b6c7d8e9f00112233445566778899aabbccddeeff001122334455',
  ...SUMMARY_EXAMPLE,
  status: 'active',
  source: 'person',
  made_by: 'API key deploy',
  created_at: '2026-03-14T09:26:53.589Z',
  hits: 12,
  last_hit_at: '2026-03-15T10:00:00.000Z',
};
