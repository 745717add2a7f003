import type { SchemaObject } from 'ajv';
import type { Operation } from '#src/http/operation.js';

/** A text of a request that a payload may stand in; the rest of the request is as it should be. */
export interface Place {
  /** The field that has the payload, such as `options.filters key`. */
  name: string;
  /** Makes a body, or a query string as an object, with the payload in that place. */
  put: (payload: string) => Record<string, unknown>;
}

/** A field for urls refuses a payload that is not a url at once: so the payload is also sent inside a url. */
const URLS: Record<string, (payload: string) => string> = {
  'as it is': (payload) => payload,
  'in the path and query of': (payload) =>
    `https://attack.example/${payload}/page?a=${encodeURIComponent(payload)}&${payload}`,
  'in the host of': (payload) => `https://${payload}.example/page`,
};

/** Every place of an operation's own schema that takes text. */
export function placesOf({ body, query }: Operation): Place[] {
  return [body, query].flatMap((schema) =>
    schema
      ? variantsOf(schema).flatMap((variant) => placesIn(variant, '', (value) => value as Record<string, unknown>))
      : [],
  );
}

function variantsOf(schema: SchemaObject): SchemaObject[] {
  return (schema['anyOf'] as SchemaObject[] | undefined) ?? [schema];
}

type Wrap = (value: unknown) => Record<string, unknown>;

function placesIn(schema: SchemaObject, path: string, wrap: Wrap): Place[] {
  const documented = schema['documented'] as SchemaObject | undefined;
  // A field that accepts anything has no places here, except an item of a batch: `documented` is its schema then.
  if (documented && path.endsWith(' entry')) return placesIn(documented, path, wrap);
  const types = [schema['type']].flat() as string[];
  if (types.includes('object')) return placesInObject(schema, path, wrap);
  if (types.includes('array'))
    return placesIn(schema['items'] as SchemaObject, `${path} entry`, (value) => wrap([value]));
  if (!types.includes('string')) return [];
  if (!/url/i.test(path)) return [{ name: path, put: wrap }];
  return Object.entries(URLS).map(([how, urlOf]) => ({
    name: `${how} ${path}`,
    put: (payload) => wrap(urlOf(payload)),
  }));
}

function placesInObject(schema: SchemaObject, path: string, wrap: Wrap): Place[] {
  const fields = schema['properties'] as Record<string, SchemaObject> | undefined;
  if (!fields) {
    return [
      // Object.fromEntries makes own properties, whatever their names: `__proto__` is a key like any other in JSON.
      { name: `${path} key`, put: (payload) => wrap(Object.fromEntries([[payload, payload]])) },
      { name: `${path} value`, put: (payload) => wrap({ category: payload }) },
    ];
  }
  return Object.entries(fields).flatMap(([name, field]) =>
    placesIn(field, path === '' ? name : `${path}.${name}`, (value) => wrap({ ...usual(schema, name), [name]: value })),
  );
}

/** The required fields except one, with sound values. */
function usual(schema: SchemaObject, but: string): Record<string, unknown> {
  const fields = schema['properties'] as Record<string, SchemaObject>;
  const names = ((schema['required'] ?? []) as string[]).filter((name) => name !== but);
  return Object.fromEntries(names.map((name) => [name, usualValue(name, fields[name] ?? {})]));
}

function usualValue(name: string, schema: SchemaObject): unknown {
  if (schema['type'] === 'integer') return 1;
  if (name === 'search_id') return '00000000-0000-4000-8000-000000000000';
  return name === 'url' ? 'https://attack.example/usual' : 'returns';
}
