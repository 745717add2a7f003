import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '#src/http/operation.js';
import { anyJson, anyText, makeValid } from './values.js';

/** One request, sound or not. send.ts makes bytes of it, and adds Host, Connection and the headers of its framing. */
export interface FuzzedRequest {
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer;
  /** The way in which the body is framed; `too long` and `too short` are in comparison with its Content-Length. */
  framing: 'length' | 'chunked' | 'broken chunks' | 'too long' | 'too short' | 'both' | 'none';
}

/**
 * Requests about one operation: most are sound except for their values, some have a damaged body, frame or head.
 */
export function requestsOf(operation: Operation, key: string): Arbitrary<FuzzedRequest> {
  const { body, query, pathParameters } = operation;
  return fc.record({
    method: mostly(
      operation.method,
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'),
    ),
    target: fc
      .tuple(
        mostly(
          operation.path,
          fc.webPath().map((path) => operation.path + path),
        ),
        query ? makeValid(query) : mostly({}, fc.dictionary(anyText, anyText, { maxKeys: 3 })),
        pathParameters ? makeValid(pathParameters) : fc.constant({}),
      )
      .map(([path, parameters, inPath]) => fillPath(path, inPath) + queryString(parameters)),
    headers: headersOf(key),
    body: body ? bodiesOf(makeValid(body)) : mostly(Buffer.alloc(0), bodiesOf(anyJson)),
    framing: mostly<FuzzedRequest['framing']>(
      'length',
      fc.constantFrom('chunked', 'broken chunks', 'too long', 'too short', 'both', 'none'),
    ),
  });
}

function fillPath(path: string, values: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encode((values as Record<string, unknown>)[name]) || '-');
}

function mostly<T>(usual: T, other: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ weight: 19, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

function queryString(parameters: unknown): string {
  const pairs = Object.entries((parameters ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined,
  );
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

/** Percent-encodes a value. Half of a surrogate pair cannot be encoded: it is replaced, as careless clients do. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return encodeURIComponent(text.toWellFormed());
}

function headersOf(key: string): Arbitrary<[string, string][]> {
  const authorization = mostly(
    `Bearer ${key}`,
    fc.oneof(
      visible.map((text) => `Bearer ${text}`),
      visible,
      fc.constantFrom('', 'Basic YTpi', `Bearer ${key}x`, `bearer  ${key}`),
    ),
  );
  const extra = fc.array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom(
          'Content-Type',
          'Accept',
          'X-Request-Id',
          'Expect',
          'Range',
          'If-None-Match',
          'X-Forwarded-For',
          'Origin',
          'Cookie',
          'X-HTTP-Method-Override',
        ),
        visible,
      ),
      fc.constantFrom<[string, string][]>(
        ['Content-Type', 'application/json; charset=utf-7'],
        ['Content-Encoding', 'br'],
        ['Content-Encoding', 'identity'],
        ['Content-Encoding', '__proto__'],
        ['Content-Encoding', 'constructor'],
        ['Expect', '100-continue'],
        ['Upgrade', 'websocket'],
        ['X-Request-Id', 'a'.repeat(65)],
        ['X-Request-Id', 'fine-id'],
        ['Authorization', 'Bearer twice'],
        ['Host', 'other.example'],
        ['X-Long', 'l'.repeat(9_000)],
      ),
    ),
    { maxLength: 2 },
  );
  return fc
    .tuple(authorization, mostly<[string, string][]>([], extra))
    .map(([credential, more]) => [['Authorization', credential], ...more]);
}

/** Text that a header may hold: it has no line break, which would only end the header. */
const visible = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

/** JSON text of values, as it is, compressed, or damaged. */
function bodiesOf(values: Arbitrary<unknown>): Arbitrary<Buffer> {
  const sound = values.map((value) => Buffer.from(JSON.stringify(value)));
  const damaged = fc
    .tuple(sound, fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 6 }))
    .map(([bytes, at, byte, way]) => damage(bytes, at, byte, way));
  return fc.oneof({ weight: 9, arbitrary: sound }, { weight: 1, arbitrary: damaged });
}

function damage(bytes: Buffer, at: number, byte: number, way: number): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length;
  switch (way) {
    case 0: // a byte that may not be UTF-8
      return Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)]);
    case 1: // cut off
      return bytes.subarray(0, place);
    case 2: // a key twice
      return Buffer.from(
        bytes.toString('latin1').replace('{', '{"path":1,"query":[],"url":{},"path":"/twice",'),
        'latin1',
      );
    case 3: // a number beyond a double
      return Buffer.from(bytes.toString('latin1').replace('{', '{"limit":1e999,"clicked_rank":-1e999,'), 'latin1');
    case 4: // in another encoding
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), 'utf16le')]);
    case 5: // compressed, without saying so
      return gzipSync(bytes);
    default: // two values
      return Buffer.concat([bytes, bytes]);
  }
}
