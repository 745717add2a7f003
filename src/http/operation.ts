import type { SchemaObject } from 'ajv';
import type { Scope } from '../glossary.js';

export type HttpMethod = 'GET' | 'POST' | 'DELETE';

/** What a route promises: what it takes and whom, and what it may answer. The API's description is made of these. */
export interface Operation {
  method: HttpMethod;
  path: string;
  scope: Scope;
  /** What generated clients call it; without one, its method and path. */
  id?: string;
  /** In a sentence. */
  summary: string;
  /** What a caller should know besides, in Markdown. */
  description?: string;
  /** The body's schema, with the keywords of ours (src/validate.ts). */
  body?: SchemaObject;
  /** Bodies to try; a test sends each. */
  examples?: Record<string, Example>;
  /** The query string's, as an object. */
  query?: SchemaObject;
  /** By status; errors that every operation may answer are not repeated here. Without a schema, there is no body. */
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
  headers?: Record<string, string>;
}

/** A schema of an object that holds exactly these fields; those named as optional may be missing. */
export function exactly(fields: Record<string, SchemaObject>, optional: readonly string[] = []): SchemaObject {
  return {
    type: 'object',
    properties: fields,
    required: Object.keys(fields).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** A schema that the description keeps under a name, for generated clients to have a type of that name. */
export function named(name: string, schema: SchemaObject): SchemaObject {
  return { ...schema, title: name };
}

/** An object of any fields. */
export function freeForm(description: string): SchemaObject {
  return { type: 'object', additionalProperties: true, description };
}
