import type { SchemaObject } from 'ajv';
import { LIMITS } from '../base/request-limits.js';
import type { Scope } from '../base/glossary.js';
import { ERROR_CATALOGUE } from '../base/errors.js';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The contract of a route. The API's description is made of these. */
export interface Operation {
  method: HttpMethod;
  path: string;
  scope: Scope;
  /** A reading operation that queues jobs; every writing one may. */
  queuesJobs?: true;
  /** Generated clients call the operation so; by default by its method and path. */
  id?: string;
  summary: string;
  /** The description is Markdown. */
  description?: string;
  /** The body's schema, with our own keywords (src/base/validate.ts). */
  body?: SchemaObject;
  /** Example bodies; a test sends each. */
  examples?: Record<string, Example>;
  /** The schema of what stands in braces in the path, as an object. */
  pathParameters?: SchemaObject;
  /** The schema of the query string, as an object. */
  query?: SchemaObject;
  /** The answers by status, without the errors that every operation has. An answer without a schema has no body. */
  answers: Record<number, Answer>;
}

export interface Example {
  summary: string;
  value: object;
}

export interface Answer {
  description: string;
  schema?: SchemaObject;
  example?: object;
  /** Media types of texts that it may be in place of JSON, or of nothing. */
  texts?: readonly string[];
  headers?: Record<string, string>;
}

/** The schema of an object with exactly these fields. */
export function exactObject(fields: Record<string, SchemaObject>, optional: readonly string[] = []): SchemaObject {
  return {
    type: 'object',
    properties: fields,
    required: Object.keys(fields).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** Names a schema, so that generated clients have a type of that name. */
export function named(name: string, schema: SchemaObject): SchemaObject {
  return { ...schema, title: name };
}

/** The schema of an object with any fields. */
export function freeForm(description: string): SchemaObject {
  return { type: 'object', additionalProperties: true, description };
}

export const DEFAULT_LIMIT = 3;

/** The schema of `limit` and `top_k`. */
export const LIMIT_SCHEMA = {
  type: 'integer',
  minimum: 1,
  maximum: LIMITS.results,
  default: DEFAULT_LIMIT,
  label: `a whole number from 1 to ${LIMITS.results}`,
  description: 'Answers at most.',
} as const;

export const TIME = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };

export const PAGE_ID: SchemaObject = {
  type: 'string',
  pattern: '^[0-9a-f]{24}$',
  description: "The page's identifier.",
};

/** Every error has these fields. */
export const ERROR_FIELDS: SchemaObject = exactObject(
  {
    code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE), description: 'What happened, for programs.' },
    message: { type: 'string', description: 'What is wrong and what would be right, for people.' },
    param: { type: 'string', description: 'The field that is wrong, as a dotted path: `options.filters.category`.' },
    details: freeForm('More about it: with `internal_error` the `request_id` under which the log has it.'),
  },
  ['param', 'details'],
);

/** The body of every error. */
export const ERROR: SchemaObject = named('Error', exactObject({ error: ERROR_FIELDS }));

/** The named schemas are kept by their names. {@link describeSchema} adds those that it meets. */
export type NamedSchemas = Record<string, SchemaObject>;

const NESTED = new Set(['items', 'additionalProperties']);

/**
 * Turns a schema that checks requests into one to read: our own keywords become text, and a schema with a title is kept
 * once by that. `additionalProperties: false` goes: answers may get more fields (specification, part 9).
 * @param names undefined: every schema stays where it is
 */
export function describeSchema(schema: SchemaObject, names?: NamedSchemas): SchemaObject {
  const documented = schema['documented'] as SchemaObject | undefined;
  if (documented) return describeSchema(documented, names);
  const name = schema['title'] as string | undefined;
  if (name === undefined || names === undefined) return described(schema, names);
  names[name] ??= described(schema, names);
  return { $ref: `#/components/schemas/${name}` };
}

function described(schema: SchemaObject, names: NamedSchemas | undefined): SchemaObject {
  const out: SchemaObject = {};
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][])
    if (['title', 'label', 'jsonSize', 'trimmedLength', 'description'].includes(keyword)) continue;
    else if (keyword === 'properties')
      out['properties'] = Object.fromEntries(
        Object.entries(value as Record<string, SchemaObject>).map(([field, of]) => [field, describeSchema(of, names)]),
      );
    else if (keyword === 'anyOf')
      out['anyOf'] = (value as SchemaObject[]).map((variant) => describeSchema(variant, names));
    else if (NESTED.has(keyword) && typeof value === 'object')
      out[keyword] = describeSchema(value as SchemaObject, names);
    else if (keyword !== 'additionalProperties' || value === true) out[keyword] = value;
  const [min, max] = (schema['trimmedLength'] ?? []) as [number?, number?];
  if (min !== undefined) out['minLength'] = min;
  const length = min === undefined ? undefined : `${min} to ${max} characters after trimming.`;
  const sentences = [schema['description'] ?? sentence(schema['label'] as string | undefined), length].filter(
    (text) => text !== undefined,
  );
  if (sentences.length > 0) out['description'] = sentences.join(' ');
  return out;
}

function sentence(label: string | undefined): string | undefined {
  return label === undefined ? undefined : `${label.charAt(0).toUpperCase()}${label.slice(1)}.`;
}
