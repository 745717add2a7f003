import type { SchemaObject } from 'ajv';
import { nearestName } from '../text/words/likeness.js';

/** The header names at most so many unknown fields. */
const MAX_NAMED = 5;
const MAX_CHARACTERS = 64;

/** Maps each field of a schema to the fields inside it. It is made once for each operation. */
interface KnownFields {
  required: readonly string[];
  fields: Map<string, KnownFields[]>;
}

/**
 * Makes a function that describes a request's unknown fields, and what was probably meant, as text for a header;
 * undefined when there are none. A field's name is the caller's text: it is cut, and all but ASCII is replaced.
 */
export function compileUnknownFields(schema: SchemaObject): (request: unknown) => string | undefined {
  const variants = listKnownFields(schema);
  const knownPaths = [...new Set(variants.flatMap((known) => listPaths(known)))];
  return (request) => {
    const unknownPaths: string[] = [];
    collectUnknown(variants, knownPaths, request, '', unknownPaths);
    if (unknownPaths.length === 0) return undefined;
    const descriptions = unknownPaths.slice(0, MAX_NAMED).map((path) => describeUnknown(path, knownPaths));
    return `${descriptions.join(', ')}${unknownPaths.length > MAX_NAMED ? ', and more' : ''}`;
  };
}

function listKnownFields(schema: SchemaObject): KnownFields[] {
  const variants = schema['anyOf'] as SchemaObject[] | undefined;
  if (variants) return variants.flatMap(listKnownFields);
  const inner = (schema['items'] ?? schema['documented']) as SchemaObject | undefined;
  if (inner) return listKnownFields(inner);
  const fields = schema['properties'] as Record<string, SchemaObject> | undefined;
  if (!fields) return [];
  return [
    {
      required: (schema['required'] ?? []) as string[],
      fields: new Map(Object.entries(fields).map(([name, field]) => [name, listKnownFields(field)])),
    },
  ];
}

/**
 * Adds the paths of a value's unknown fields. It uses the first variant whose required fields the body has, else all.
 * In `{options: {filters}}`, where there are no options, it names `options.filters`, if there are `filters` elsewhere.
 */
function collectUnknown(
  variants: readonly KnownFields[],
  knownPaths: readonly string[],
  value: unknown,
  prefix: string,
  unknownPaths: string[],
): void {
  if (variants.length === 0 || typeof value !== 'object' || value === null || unknownPaths.length > MAX_NAMED) return;
  if (Array.isArray(value)) {
    // No schema has lists in lists, so the recursion goes no deeper than a schema.
    for (const item of value)
      if (!Array.isArray(item)) collectUnknown(variants, knownPaths, item, prefix, unknownPaths);
    return;
  }
  const fitting = variants.find(({ required }) => required.every((name) => Object.hasOwn(value, name)));
  const known = fitting ? [fitting] : variants;
  for (const name in value) {
    const inner = known.find(({ fields }) => fields.has(name))?.fields.get(name);
    const content = (value as Record<string, unknown>)[name];
    const path = prefix + name.slice(0, MAX_CHARACTERS);
    if (inner) collectUnknown(inner, knownPaths, content, `${path}.`, unknownPaths);
    else {
      const misplaced = knownPaths.map(lastPart).find((field) => hasField(content, field));
      if (unknownPaths.push(misplaced === undefined ? path : `${path}.${misplaced}`) > MAX_NAMED) return;
    }
  }
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function listPaths({ fields }: KnownFields, prefix = ''): string[] {
  return [...fields].flatMap(([name, inner]) => [
    prefix + name,
    ...inner.flatMap((known) => listPaths(known, `${prefix}${name}.`)),
  ]);
}

function describeUnknown(path: string, knownPaths: readonly string[]): string {
  const meant = guessMeant(path, knownPaths);
  const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
  return `unknown field \`${path.replace(/[^ -~]|`/g, '?')}\` is ignored${hint}`;
}

/**
 * Finds the name at another level (`filters`: `options.filters`), or a similar name; of equals, that of the same level.
 * A field may be known in another kind of body, as `referrer` of a 404 in a click: then nothing else was meant.
 */
function guessMeant(path: string, knownPaths: readonly string[]): string | undefined {
  if (knownPaths.includes(path)) return undefined;
  const isSibling = (known: string): boolean => parentPath(known) === parentPath(path);
  const siblingsFirst = [...knownPaths.filter(isSibling), ...knownPaths];
  const nearest = nearestName(lastPart(path), siblingsFirst.map(lastPart));
  return nearest === undefined ? undefined : siblingsFirst.find((known) => lastPart(known) === nearest);
}

function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('.') + 1);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
