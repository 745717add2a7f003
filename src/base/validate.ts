import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { invalid, type ApiError } from './errors.js';
import type { JsonObject } from './glossary.js';
import { lostIntegers } from './json.js';

/**
 * Options of ajv for our schemas: tests hold them to the meta schema. A process that did it at its start compiled
 * the meta schema, the largest of all, first: a tenth of a second of a busy machine's CPU.
 */
export const OWN_SCHEMA = { validateSchema: false, meta: false } as const;

/**
 * Validation of request bodies: JSON Schema with our own keywords. `trimmedLength: [min, max]`: characters after
 * trimming. `jsonSize`: max levels and bytes of an object. `label`: how an error describes the expected value.
 * `documented`: how the API describes a field that accepts anything.
 */
const ajv = new Ajv({ allErrors: false, strict: true, allowUnionTypes: true, verbose: true, ...OWN_SCHEMA });
ajv.addKeyword({
  keyword: 'trimmedLength',
  type: 'string',
  schemaType: 'array',
  validate: ([min, max]: [number, number], text: string) => {
    const length = [...text.trim()].length;
    return length >= min && length <= max;
  },
});
ajv.addKeyword({ keyword: 'label', schemaType: 'string' });
ajv.addKeyword({ keyword: 'documented', schemaType: 'object' });
ajv.addKeyword({
  keyword: 'jsonSize',
  type: 'object',
  schemaType: 'object',
  // Depth first: JSON.stringify recurses, and 2 MiB of brackets would overflow the stack.
  validate: ({ levels, bytes }: { levels: number; bytes: number }, value: object) =>
    isWithinDepth(value, levels) && Buffer.byteLength(JSON.stringify(value)) <= bytes,
});

/** A body may be a part of a larger one. */
export interface Place {
  /** The result of parseJson. */
  parsed?: object;
  /** Errors name this dotted path before the field: `pages.3`. */
  at?: string;
}

/**
 * This type is what one of our schemas accepts, by `enum`, `type`, `properties`, `required`, `items` and the like.
 * TypeBox would take 6.4 MB and 160 ms of CPU at each start; json-schema-to-ts goes deeper than the compiler follows.
 */
export type Valid<Schema> = Schema extends { enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { type: readonly (infer Type)[] }
    ? OfType<Type, Schema>
    : Schema extends { type: infer Type }
      ? OfType<Type, Schema>
      : unknown;
type OfType<Type, Schema> = Type extends keyof Scalars
  ? Scalars[Type]
  : Type extends 'array'
    ? (Schema extends { items: infer Item } ? Valid<Item> : unknown)[]
    : Schema extends { properties: infer Fields }
      ? OfFields<Fields, Schema extends { required: readonly (infer Name)[] } ? Name : never>
      : Schema extends { additionalProperties: infer Field extends object }
        ? Record<string, Valid<Field>>
        : JsonObject;
type Scalars = { string: string; integer: number; number: number; boolean: boolean; null: null };
type OfFields<Fields, Required> = { [Name in keyof Fields & Required]: Valid<Fields[Name]> } & {
  [Name in Exclude<keyof Fields, Required>]?: Valid<Fields[Name]>;
};

/** Returns a function that returns the body, or throws a 400 with the field and what is expected. */
export function compileBody<const Schema>(
  schema: Schema & SchemaObject,
): (body: Record<string, unknown>, place?: Place) => Valid<Schema> {
  const validate = ajv.compile(schema);
  return (body, { parsed = body, at } = {}) => {
    const path = at === undefined ? [] : [at];
    if (!validate(body)) {
      const first = validate.errors?.[0];
      throw first ? toApiError(first, path) : invalid(undefined, 'The body is not valid.');
    }
    checkKnownFields(schema, body, parsed, path);
    return body as Valid<Schema>;
  };
}

/** Checks the known fields on every level. Unknown fields are ignored, whatever they hold. */
function checkKnownFields(schema: SchemaObject, value: object, parsed: object, path: readonly string[]): void {
  for (const [name, field] of Object.entries(schema['properties'] as Record<string, SchemaObject>)) {
    const { documented } = (field['items'] ?? field) as SchemaObject;
    if (!Object.hasOwn(value, name) || documented !== undefined) continue;
    const inner = (value as Record<string, unknown>)[name];
    if (field['properties'] === undefined) checkStorable(inner, [...path, name].join('.'), parsed);
    else checkKnownFields(field, inner as object, parsed, [...path, name]);
  }
}

/** Refuses text that PostgreSQL cannot store and integers that lost digits. Recursive: the schema limits the depth. */
export function checkStorable(value: unknown, param: string, parsed?: object): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) throw invalid(param, `${param} must not contain the character U+0000.`);
    if (!value.isWellFormed())
      throw invalid(param, `${param} must not contain half of a surrogate pair: send well-formed Unicode.`);
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid(param, `${param} must be a number that fits a double.`);
  } else if (parsed && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    if (lostIntegers(parsed).has(value as number))
      throw invalid(param, `${param} has more digits than a number keeps: send it as a string.`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkStorable(item, `${param}.${index}`, parsed);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      // The answer repeats the key, so only a valid one is used.
      if (key.includes('\u0000') || !key.isWellFormed())
        throw invalid(param, `${param} has a key that cannot be stored: U+0000 or half of a surrogate pair.`);
      checkStorable(item, `${param}.${key}`, parsed);
    }
  }
}

/** True when a JSON value has at most `max` levels. Looks no deeper than that. */
function isWithinDepth(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (max === 0) return false;
  return Object.values(value).every((inner) => isWithinDepth(inner, max - 1));
}

function toApiError(error: ErrorObject, at: readonly string[]): ApiError {
  const inside = error.instancePath.split('/').slice(1);
  const path = [...at, ...inside.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))];
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'required') {
    const param = [...path, String(params['missingProperty'])].join('.');
    return invalid(param, `Missing required parameter: ${param}`);
  }
  const param = path.join('.');
  return invalid(param, `${param} must be ${wanted(error, params)}.`);
}

function wanted(error: ErrorObject, params: Record<string, unknown>): string {
  const schema = error.parentSchema as { label?: string; maximum?: number; minimum?: number } | undefined;
  if (schema?.label !== undefined) return schema.label;
  switch (error.keyword) {
    case 'type':
      return `of type ${[params['type']].flat().join(' or ')}`;
    case 'trimmedLength': {
      const [min, max] = error.schema as [number, number];
      return `a text of ${min} to ${max} characters`;
    }
    case 'minLength':
    case 'maxLength':
      return `a text of ${error.keyword === 'minLength' ? 'at least' : 'at most'} ${String(params['limit'])} characters`;
    case 'minimum':
    case 'maximum':
      return schema?.minimum !== undefined && schema.maximum !== undefined
        ? `between ${schema.minimum} and ${schema.maximum}`
        : `${error.keyword === 'minimum' ? 'at least' : 'at most'} ${String(params['limit'])}`;
    case 'minItems':
    case 'maxItems':
    case 'maxProperties': {
      const what = error.keyword === 'maxProperties' ? 'keys' : params['limit'] === 1 ? 'entry' : 'entries';
      return `of at ${error.keyword === 'minItems' ? 'least' : 'most'} ${String(params['limit'])} ${what}`;
    }
    default:
      return 'valid';
  }
}
