import fc, { type Arbitrary } from 'fast-check';
import type { SchemaObject } from 'ajv';

/**
 * Text of every kind that a caller may send: all planes of Unicode, NUL, control characters, halves of surrogate
 * pairs, right-to-left, what SQL, paths, patterns and headers are attacked with, and lengths about the limits.
 */
export const anyText: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.webPath(),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    'a\udc00b',
    '\u202e\u200f',
    '\u200b\u200d\ufeff',
    '👩‍👩‍👧‍👦'.repeat(30),
    '__proto__',
    'constructor',
    "'; drop table pathmend.pages; --",
    "' or 1=1 --",
    '$1',
    '%',
    '%00',
    '%2e%2e%2f',
    '%25252541',
    '../../../etc/passwd',
    '\\x00',
    "E'\\'",
    '{"$gt":""}',
    '${7*7}',
    '<script>alert(1)</script>',
    'javascript:alert(1)',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'https://a.example/\r\nSet-Cookie: x=1',
    '//evil.example/x',
    'https://user:pw@a.example/',
    'https://[::1]:99999/',
    'xn--',
    '1e309',
    'NaN',
    `${'a'.repeat(30)}!`,
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@'.repeat(40),
    '(('.repeat(500),
    '/'.repeat(2_000),
    'x'.repeat(2_049),
    '\u0301'.repeat(2_048),
    '00000000-0000-0000-0000-000000000000',
    '2026-02-30T25:61:61Z',
    '-0',
    '9'.repeat(400),
  ),
);

const anyNumber: Arbitrary<number> = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, Number.MAX_VALUE),
);

/** Any JSON value, keys that JavaScript minds among them. */
export const anyJson: Arbitrary<unknown> = fc.oneof(
  anyText,
  anyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.oneof(anyText, fc.constantFrom('__proto__', 'toString', 'length', 'constructor')), anyText, {
    maxKeys: 5,
  }),
  fc.integer({ min: 1, max: 2_000 }).map((levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown),
  fc
    .integer({ min: 1, max: 300 })
    .map((levels) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as unknown),
);

/** A value that a schema lets through, mostly; where it says little, anything. */
export function makeValid(schema: SchemaObject): Arbitrary<unknown> {
  const variants = schema['anyOf'] as SchemaObject[] | undefined;
  if (variants) return fc.oneof(...variants.map(makeValid));
  if (schema['documented'] !== undefined) return makeValid(schema['documented'] as SchemaObject);
  if (schema['enum'] !== undefined) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const types = [schema['type']].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: SchemaObject): Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return schema['pattern'] === undefined
        ? fc.oneof(fc.lorem({ maxCount: 6 }), fc.webUrl(), fc.webPath(), anyText)
        : fc.oneof(fc.uuid(), anyText);
    case 'integer':
      return fc.oneof(
        fc.integer({ min: Number(schema['minimum'] ?? 1), max: Math.min(1_000, Number(schema['maximum'] ?? 1_000)) }),
        anyNumber,
      );
    case 'number':
      return fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), anyNumber);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(makeValid(schema['items'] as SchemaObject), { maxLength: 6 });
    case 'object':
      return ofFields(schema);
    default:
      return fc.constant(null);
  }
}

/** The known fields, each there or not, each as it should be or anything; and unknown ones. */
function ofFields(schema: SchemaObject): Arbitrary<unknown> {
  const fields = schema['properties'] as Record<string, SchemaObject> | undefined;
  const additionalSchema = schema['additionalProperties'];
  if (!fields)
    return fc.dictionary(
      anyText,
      typeof additionalSchema === 'object' ? makeValid(additionalSchema as SchemaObject) : anyJson,
      {
        maxKeys: 25,
      },
    );
  const required = (schema['required'] ?? []) as string[];
  const known = fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        fc.oneof({ weight: 12, arbitrary: makeValid(field) }, { weight: 1, arbitrary: anyJson }),
      ]),
    ),
    { requiredKeys: required },
  );
  return fc.oneof(
    { weight: 8, arbitrary: known },
    {
      weight: 1,
      arbitrary: fc
        .tuple(known, fc.dictionary(anyText, anyJson, { maxKeys: 3 }))
        .map(([knownFields, more]) => ({ ...more, ...knownFields })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(known, fc.constantFrom(...Object.keys(fields)))
        .map(([knownFields, missing]) => ({ ...knownFields, [missing]: undefined })),
    },
  );
}
