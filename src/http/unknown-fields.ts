import type { SchemaObject } from 'ajv';
import { nearestName, plainName } from '../text/words/likeness.js';
import { LRUCache } from 'lru-cache';
import type { Response } from 'express';
import type { Caller } from '../projects/caller.js';
import type { Logger } from '../base/logger.js';
import { contextOf } from './request-context.js';

/** Unknown fields that one answer names. */
const MAX_NAMED = 5;
const MAX_CHARACTERS = 64;
/** Fields in an unknown one that may be known outside it. */
const MAX_WITHIN = 8;

/** Names that other services have for one thing, a line for each: what callers write who come from there. */
const SYNONYMS = [
  'filters filter where metadata metadata_condition metadata_filter metadata_filters query_filter pre_filter filter_by conditions facet_filters must',
  'limit top_k similarity_top_k k n top size count take first max_results num_results n_results page_size per_page hits_per_page rows',
  'query q text question search prompt input search_term term terms message',
  'path url uri href raw_path pathname route slug link address request_uri',
  'options option params parameters settings config',
  'searchThreshold threshold min_score score_threshold similarity_threshold cutoff min_similarity score',
  'excludeUrls exclude ignore except skip omit not exclude_paths',
  'explain explanation debug why',
  'content body text html markdown document description page_content',
  'metadata meta attributes properties tags labels fields data payload',
  'title name heading headline subject',
  'pages documents items records data',
  'delete remove deletes removed',
  'referrer referer from',
  'user_agent agent ua browser',
  'user_ip ip client_ip remote_addr visitor_ip',
  'clicked_url target destination result_url',
  'clicked_rank rank position index',
  'timestamp time date at occurred_at created_at',
  'cursor after next page_token offset',
  'status state',
].map((line) => line.split(' ').map(plainName));

/** The fields of a schema, with the fields inside them. Made once for each operation. */
interface KnownFields {
  required: readonly string[];
  fields: Map<string, KnownFields[]>;
}

/**
 * Makes a function that describes a request's unknown fields, and what was probably meant, as text for a header;
 * undefined when there are none. A field's name is the caller's text: it is cut, and all but ASCII is replaced.
 */
export function compileUnknownFields(schema: SchemaObject): (request: unknown) => string | undefined {
  const variants = knownFieldsOf(schema);
  const paths = [...new Set(variants.flatMap((known) => pathsOf(known)))];
  return (request) => {
    const unknown: UnknownField[] = [];
    collect(variants, request, '', unknown);
    if (unknown.length === 0) return undefined;
    const said = unknown.slice(0, MAX_NAMED).map((field) => describeUnknown(field, paths));
    return `${said.join(', ')}${unknown.length > MAX_NAMED ? ', and more' : ''}`;
  };
}

function knownFieldsOf(schema: SchemaObject): KnownFields[] {
  const variants = schema['anyOf'] as SchemaObject[] | undefined;
  if (variants) return variants.flatMap(knownFieldsOf);
  const inner = (schema['items'] ?? schema['documented']) as SchemaObject | undefined;
  if (inner) return knownFieldsOf(inner);
  const fields = schema['properties'] as Record<string, SchemaObject> | undefined;
  if (!fields) return [];
  return [
    {
      required: (schema['required'] ?? []) as string[],
      fields: new Map(Object.entries(fields).map(([name, field]) => [name, knownFieldsOf(field)])),
    },
  ];
}

/** Uses the first variant whose required fields the body has; all variants, if none fits. */
function collect(variants: readonly KnownFields[], value: unknown, at: string, unknown: UnknownField[]): void {
  if (variants.length === 0 || typeof value !== 'object' || value === null || unknown.length > MAX_NAMED) return;
  if (Array.isArray(value)) {
    // No schema has lists in lists, so the recursion goes no deeper than a schema.
    for (const item of value) if (!Array.isArray(item)) collect(variants, item, at, unknown);
    return;
  }
  const fitsLanguages = variants.find(({ required }) => required.every((name) => Object.hasOwn(value, name)));
  const known = fitsLanguages ? [fitsLanguages] : variants;
  for (const name in value) {
    const inner = known.find(({ fields }) => fields.has(name))?.fields.get(name);
    const within = (value as Record<string, unknown>)[name];
    if (inner) collect(inner, within, `${at}${name}.`, unknown);
    else if (unknown.push({ path: at + name.slice(0, MAX_CHARACTERS), within: namesIn(within) }) > MAX_NAMED) return;
  }
}

interface UnknownField {
  path: string;
  /** Names of fields in it. */
  within: string[];
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const names: string[] = [];
  for (const name in value) if (names.push(name.slice(0, MAX_CHARACTERS)) === MAX_WITHIN) break;
  return names;
}

function pathsOf({ fields }: KnownFields, at = ''): string[] {
  return [...fields].flatMap(([name, inner]) => [
    at + name,
    ...inner.flatMap((known) => pathsOf(known, `${at}${name}.`)),
  ]);
}

/** Of `{options: {filters, limit}}`, where there are no options, `options.filters` and `options.limit` are named. */
function describeUnknown({ path, within }: UnknownField, known: readonly string[]): string {
  const guessed = [path, ...within.map((name) => `${path}.${name}`)].filter(
    (one) => guessMeant(one, known) !== undefined,
  );
  const named = guessed[0] === path || guessed.length === 0 ? [path] : guessed;
  return named
    .map((one) => {
      const meant = guessMeant(one, known);
      const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
      return `unknown field \`${one.replace(/[^ -~]|`/g, '?')}\` is ignored${hint}`;
    })
    .join(', ');
}

/**
 * The same name at another level (`filters`: `options.filters`), another name of the same thing, a similar name, or
 * one that contains it. Nothing where the field is known in a body of another kind: `referrer` of a 404, in a click.
 */
function guessMeant(path: string, fields: readonly string[]): string | undefined {
  if (fields.includes(path)) return undefined;
  const besides = fields.filter((one) => parentOf(one) === parentOf(path));
  const known = [...new Set([...besides, ...fields])];
  const name = lastOf(path);
  const plain = plainName(name);
  const same = known.find((one) => plainName(lastOf(one)) === plain);
  if (same !== undefined) return same;
  const synonyms = SYNONYMS.filter((names) => names.includes(plain)).flat();
  const synonym = known.find((one) => synonyms.includes(plainName(lastOf(one))));
  if (synonym !== undefined) return synonym;
  const nearest = nearestName(name, known.map(lastOf));
  if (nearest !== undefined) return known.find((one) => lastOf(one) === nearest);
  return plain.length < 4 ? undefined : known.find((one) => plainName(lastOf(one)).includes(plain));
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.') + 1);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Names a request's unknown fields in a header and in the log. */
export type FieldWarnings = (response: Response, caller: Caller, warning: string) => void;

const MAX_REMEMBERED = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Logs once an hour for each key and operation: a caller sends such a field with every request.
 * @param now monotonic milliseconds.
 */
export function createFieldWarnings(logger: Logger, now: () => number = () => performance.now()): FieldWarnings {
  const loggedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return (response, { keyId, projectId }, warning) => {
    response.setHeader('X-Pathmend-Warning', warning);
    const { route, requestId } = contextOf(response);
    const id = `${keyId} ${route}`;
    const last = loggedAt.get(id);
    if (last !== undefined && now() - last < HOUR_MS) return;
    loggedAt.set(id, now());
    logger.warn('a request has fields that are ignored', {
      request_id: requestId,
      route,
      project_id: projectId,
      key_id: keyId,
      warning,
    });
  };
}
