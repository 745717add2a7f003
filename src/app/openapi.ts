import type { SchemaObject } from 'ajv';
import { ERROR_CATALOGUE, type ErrorCode } from '../base/errors.js';
import { ANSWER_HEADERS, HEADERS, headersOfError, refersTo, INTRODUCTION, TAGS, tagOf } from './openapi-parts.js';
import { describeSchema, type NamedSchemas, ERROR, type Answer, type Operation } from '../http/operation.js';
import { llmsTxtOperation } from '../assistants/llms-txt.js';
import { batchPagesOperation } from '../pages/routes/batch-pages.js';
import { deletePageOperation } from '../pages/routes/delete-page.js';
import { eventsOperation } from '../events/routes.js';
import { clickOperation } from '../search/dead-urls/click.js';
import { notFoundOperation } from '../search/dead-urls/not-found.js';
import { proxyOperation } from '../search/dead-urls/proxy.js';
import { retrieveOperation } from '../search/routes/retrieve.js';
import { getSearchOperation } from '../search/routes/get-search.js';
import { semanticSearchOperation } from '../search/routes/semantic-search.js';
import { getPageOperation, listPagesOperation } from '../pages/routes/read-pages.js';
import {
  addRulesOperation,
  changeRuleOperation,
  removeRuleOperation,
  undoRulesOperation,
} from '../rules/routes/change-operations.js';
import { listRulesOperation, ruleHistoryOperation, tryRulesOperation } from '../rules/routes/read-rules.js';
import { listLinksOperation } from '../sync/routes.js';
import { suggestOperation } from '../search/routes/suggest.js';
import { upsertPageOperation } from '../pages/routes/upsert-page.js';

export const ALL_OPERATIONS: readonly Operation[] = [
  suggestOperation,
  semanticSearchOperation,
  retrieveOperation,
  upsertPageOperation,
  deletePageOperation,
  batchPagesOperation,
  listPagesOperation,
  getPageOperation,
  eventsOperation,
  getSearchOperation,
  proxyOperation,
  notFoundOperation,
  clickOperation,
  llmsTxtOperation,
  listRulesOperation,
  addRulesOperation,
  changeRuleOperation,
  removeRuleOperation,
  tryRulesOperation,
  ruleHistoryOperation,
  undoRulesOperation,
  listLinksOperation,
];

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

/** The API as OpenAPI 3.1, made from the schemas that the routes check by. Undefined fields are left out by JSON. */
export function describeApi(): Record<string, unknown> {
  const schemas: NamedSchemas = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of ALL_OPERATIONS)
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, schemas),
    };
  const responses = {
    ...Object.fromEntries(CODES.map((code) => [code, describeError(code, schemas)])),
    other: {
      description:
        'An error of the same form, such as 408 for a request that came too slowly, or 431 for one whose head is too large.',
      headers: refersTo(['X-Request-Id']),
      content: json(ERROR, schemas),
    },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'pathmend',
      version: 'v1',
      summary: 'Finds the live page that the visitor of a dead link wanted.',
      description: INTRODUCTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{origin}',
        description: 'Your own pathmend.',
        variables: {
          origin: { default: 'http://127.0.0.1:8080', description: 'Where it listens, or the proxy before it.' },
        },
      },
    ],
    security: [{ key: [] }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `pm_live_…` or `pm_test_…`. It names the project.',
        },
      },
      schemas,
      responses,
      headers: HEADERS,
    },
  };
}

function describe(operation: Operation, schemas: NamedSchemas): Record<string, unknown> {
  const { method, path, scope, id, summary, description, body, examples, pathParameters, query, answers } = operation;
  const parameters = [...parametersOf('path', pathParameters, schemas), ...parametersOf('query', query, schemas)];
  const codes = CODES.filter(
    (code) =>
      (code !== 'not_found' || path.endsWith('/delete') || pathParameters) && (code !== 'payload_too_large' || body),
  );
  return {
    operationId: id ?? [method.toLowerCase(), ...path.split('/').slice(2)].join('-').replace(/[^\w-]/g, ''),
    tags: [tagOf(path)],
    summary,
    description: `${description === undefined ? '' : `${description}\n\n`}Needs a key with the scope \`${scope}\`.`,
    requestBody: body && { required: true, content: json(body, schemas, { examples }) },
    parameters: parameters.length > 0 ? parameters : undefined,
    responses: {
      ...Object.fromEntries(
        codes.map((code) => [ERROR_CATALOGUE[code].status, { $ref: `#/components/responses/${code}` }]),
      ),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer, schemas)]),
      ),
      default: { $ref: '#/components/responses/other' },
    },
  };
}

function describeAnswer({ description, schema, example, texts = [], headers = {} }: Answer, schemas: NamedSchemas) {
  const text = { schema: { type: 'string' } };
  const ownHeaders = Object.entries(headers).map(([name, meaning]) => [name, { description: meaning, ...text }]);
  const content = {
    ...(schema && json(schema, schemas, { example })),
    ...Object.fromEntries(texts.map((type) => [type, text])),
  };
  return {
    description,
    headers: { ...refersTo(ANSWER_HEADERS), ...(Object.fromEntries(ownHeaders) as object) },
    content: Object.keys(content).length > 0 ? content : undefined,
  };
}

function describeError(code: ErrorCode, schemas: NamedSchemas): Record<string, unknown> {
  const { message } = ERROR_CATALOGUE[code];
  return {
    description: `\`${code}\`: ${message}`,
    headers: refersTo(headersOfError(code)),
    content: json(ERROR, schemas, { example: { error: { code, message } } }),
  };
}

/** The content of a body in JSON. */
function json(schema: SchemaObject, schemas: NamedSchemas, more: object = {}): Record<string, unknown> {
  return { 'application/json': { schema: describeSchema(schema, schemas), ...more } };
}

function parametersOf(place: 'path' | 'query', of: SchemaObject | undefined, schemas: NamedSchemas): unknown[] {
  const required = (of?.['required'] ?? []) as string[];
  return Object.entries((of?.['properties'] ?? {}) as Record<string, SchemaObject>).map(([name, field]) => {
    const { description, examples, ...schema } = describeSchema(field, schemas);
    return {
      name,
      in: place,
      required: required.includes(name),
      description: description as unknown,
      schema,
      example: (examples as unknown[] | undefined)?.[0],
    };
  });
}
