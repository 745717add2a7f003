import type { SchemaObject } from 'ajv';
import type { RequestLimits } from '../config.js';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors.js';
import { exactly, type Answer, type Operation } from './operation.js';
import { deletePageOperation } from './routes/delete-page.js';
import { eventsOperation } from './routes/events.js';
import { proxyOperation } from './routes/proxy.js';
import { retrieveOperation } from './routes/retrieve.js';
import { searchOperation } from './routes/search.js';
import { semanticSearchOperation } from './routes/semantic-search.js';
import { suggestOperation } from './routes/suggest.js';
import { upsertPageOperation } from './routes/upsert-page.js';

export function allOperations(limits: RequestLimits): Operation[] {
  return [
    suggestOperation(limits),
    semanticSearchOperation(limits),
    retrieveOperation(limits),
    upsertPageOperation(limits),
    deletePageOperation(limits),
    eventsOperation,
    searchOperation(limits),
    proxyOperation(limits),
  ];
}

export const ERROR: SchemaObject = exactly({
  error: exactly(
    { code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) }, message: { type: 'string' }, param: { type: 'string' }, details: { type: 'object' } },
    ['param', 'details'],
  ),
});

const HEADERS = {
  'X-Request-Id': 'The request\'s own id, if it was given a harmless one, else a new one; the log has it too.',
  'X-RateLimit-Limit': 'The bucket\'s burst.',
  'X-RateLimit-Remaining': 'Whole tokens left.',
  'X-RateLimit-Reset': 'Unix seconds at which the bucket is full again.',
};

/** The API in the words of OpenAPI 3.1: what the routes themselves check by and promise. */
export function describeApi(limits: RequestLimits): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of allOperations(limits)) {
    paths[operation.path] = { [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'pathmend',
      version: 'v1',
      description: 'Recovers visitors who hit a missing page. Called from servers, never from a browser; the key names the project.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'pm_live_… or pm_test_…' } },
      schemas: { Error: ERROR },
      responses: Object.fromEntries((Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map((code) => [code, describeError(code)])),
    },
  };
}

function describe({ method, path, scope, summary, body, query, answers }: Operation): Record<string, unknown> {
  const codes = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter((code) => code !== 'not_found' || /delete|proxy/.test(path));
  return {
    operationId: `${method.toLowerCase()}-${path.split('/').slice(2).join('-')}`,
    summary,
    description: `Needs a key with the scope \`${scope}\`.`,
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: plain(body) } } } } : {}),
    ...(query ? { parameters: parametersOf(query) } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)])),
      ...Object.fromEntries(codes.map((code) => [ERROR_CATALOGUE[code].status, { $ref: `#/components/responses/${code}` }])),
    },
  };
}

function describeAnswer({ description, schema, headers }: Answer): Record<string, unknown> {
  return {
    description,
    headers: describeHeaders({ ...HEADERS, ...headers }),
    ...(schema ? { content: { 'application/json': { schema: plain(schema) } } } : {}),
  };
}

function describeError(code: ErrorCode): Record<string, unknown> {
  const headers: Record<string, string> = { 'X-Request-Id': HEADERS['X-Request-Id'] };
  if (code === 'rate_limit_exceeded' || code === 'overloaded') headers['Retry-After'] = 'Seconds to wait, at least 1.';
  return {
    description: `\`${code}\`: ${ERROR_CATALOGUE[code].message}`,
    headers: describeHeaders(headers),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

function describeHeaders(headers: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

function parametersOf(query: SchemaObject): unknown[] {
  const required = (query['required'] ?? []) as string[];
  return Object.entries(query['properties'] as Record<string, SchemaObject>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: plain(schema),
  }));
}

/** A schema without the keywords of ours: what they say stands in its description. */
function plain(schema: SchemaObject): SchemaObject {
  const described: SchemaObject = {};
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    if (keyword === 'label') described['description'] = value;
    else if (keyword === 'trimmedLength') described['minLength'] = (value as [number, number])[0];
    else if (keyword === 'jsonSize') continue;
    else if (keyword === 'properties') described['properties'] = mapValues(value as Record<string, SchemaObject>, plain);
    else if (keyword === 'anyOf') described['anyOf'] = (value as SchemaObject[]).map(plain);
    else if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object') described[keyword] = plain(value as SchemaObject);
    else described[keyword] = value;
  }
  const trimmed = schema['trimmedLength'] as [number, number] | undefined;
  if (trimmed && described['description'] === undefined) described['description'] = `${trimmed[0]} to ${trimmed[1]} characters after trimming`;
  return described;
}

function mapValues<In, Out>(of: Record<string, In>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
}
