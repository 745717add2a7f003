import type { SchemaObject } from 'ajv';

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
