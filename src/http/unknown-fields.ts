import type { SchemaObject } from 'ajv';
import { nearestName, plainName } from '../text/words/edit-distance.js';

/** Unknown fields that one answer names. */
const MAX_NAMED = 5;
const MAX_CHARACTERS = 64;

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
    const unknown: string[] = [];
    collect(variants, request, '', unknown);
    if (unknown.length === 0) return undefined;
    const said = unknown.slice(0, MAX_NAMED).map((path) => describeUnknown(path, paths));
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
function collect(variants: readonly KnownFields[], value: unknown, at: string, unknown: string[]): void {
  if (variants.length === 0 || typeof value !== 'object' || value === null || unknown.length > MAX_NAMED) return;
  if (Array.isArray(value)) {
    // No schema has lists in lists, so the recursion goes no deeper than a schema.
    for (const item of value) if (!Array.isArray(item)) collect(variants, item, at, unknown);
    return;
  }
  const fits = variants.find(({ required }) => required.every((name) => Object.hasOwn(value, name)));
  const known = fits ? [fits] : variants;
  for (const name in value) {
    const inner = known.find(({ fields }) => fields.has(name))?.fields.get(name);
    if (inner) collect(inner, (value as Record<string, unknown>)[name], `${at}${name}.`, unknown);
    else if (unknown.push(at + name.slice(0, MAX_CHARACTERS)) > MAX_NAMED) return;
  }
}

function pathsOf({ fields }: KnownFields, at = ''): string[] {
  return [...fields].flatMap(([name, inner]) => [
    at + name,
    ...inner.flatMap((known) => pathsOf(known, `${at}${name}.`)),
  ]);
}

function describeUnknown(path: string, known: readonly string[]): string {
  const meant = guessMeant(path, known);
  return `unknown field \`${path.replace(/[^ -~]|`/g, '?')}\` is ignored${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
}

/**
 * The same name at another level (`filters`: `options.filters`), a similar name, or one that contains it. Nothing where
 * the field itself is known, in a body of another kind: `referrer` of a 404, in a click.
 */
function guessMeant(path: string, known: readonly string[]): string | undefined {
  if (known.includes(path)) return undefined;
  const name = lastOf(path);
  const plain = plainName(name);
  const nearest = nearestName(name, known.map(lastOf));
  if (nearest !== undefined) return known.find((one) => lastOf(one) === nearest);
  return plain.length < 4 ? undefined : known.find((one) => plainName(lastOf(one)).includes(plain));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
