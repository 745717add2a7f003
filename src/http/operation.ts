import type { SchemaObject } from 'ajv';
import type { Scope } from '../glossary.js';

export type HttpMethod = 'GET' | 'POST' | 'DELETE';

/** What a route promises: what it takes and whom, and what it may answer. The API's description is made of these. */
export interface Operation {
  method: HttpMethod;
  path: string;
  scope: Scope;
  /** In a sentence. */
  summary: string;
  /** The body's schema, with the keywords of ours (src/validate.ts). */
  body?: SchemaObject;
  /** The query string's, as an object. */
  query?: SchemaObject;
  /** By status; errors that every operation may answer are not repeated here. Without a schema, there is no body. */
  answers: Record<number, Answer>;
}

export interface Answer {
  description: string;
  schema?: SchemaObject;
  headers?: Record<string, string>;
}

/** A schema of an object that holds exactly these fields; those named as optional may be missing. */
export function exactly(fields: Record<string, SchemaObject>, optional: readonly string[] = []): SchemaObject {
  return { type: 'object', properties: fields, required: Object.keys(fields).filter((name) => !optional.includes(name)), additionalProperties: false };
}
