import type { SchemaObject } from 'ajv';
import type { Request } from 'express';

/** The parameters that a schema knows, as a body: whole numbers and true or false as such, all else as it came. */
export function readQueryString({ query }: Request, schema: SchemaObject): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(schema['properties'] as Record<string, SchemaObject>)) {
    const given: unknown = query[name];
    if (given !== undefined) input[name] = typeof given === 'string' ? valueOf(given, type) : given;
  }
  return input;
}

function valueOf(text: string, type: unknown): unknown {
  if (type === 'integer' && /^\d{1,9}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
