import { parse as parseToml } from 'smol-toml';
import { messageOf } from '../../base/errors.js';
import { MAX_LEVELS, nestsDeeper } from '../../base/json.js';
import { parseYaml, YamlError } from '../../text/parse-yaml.js';

export interface Document {
  front: Record<string, unknown>;
  /** Whether it has front matter, perhaps empty. */
  hasFront: boolean;
  body: string;
}

const FENCES = { '---': 'yaml', '+++': 'toml', '---json': 'json', '---yaml': 'yaml', '---toml': 'toml' } as const;

/**
 * Splits a file into front matter and body: YAML between `---`, TOML between `+++`, or a JSON object at the top.
 * @returns `refused` if the front matter cannot be read
 */
export function readDocument(text: string): Document | { refused: string } {
  const clean = text.replace(/^\uFEFF/, '');
  const end = clean.indexOf('\n');
  const first = (end === -1 ? clean : clean.slice(0, end)).trimEnd();
  try {
    if (Object.hasOwn(FENCES, first)) {
      const fence = first.slice(0, 3);
      const close = findFence(clean, fence, end);
      if (close) {
        const head = clean.slice(end + 1, close.from);
        const front = readMapping(head, FENCES[first as keyof typeof FENCES]);
        return { front, hasFront: true, body: clean.slice(close.to) };
      }
    }
    if (isObjectOfJson(first))
      return { front: readMapping(first, 'json'), hasFront: true, body: clean.slice(first.length) };
    if (/^\{\s*(?:"|$)/.test(first)) {
      const close = clean.indexOf('\n}');
      if (close !== -1)
        return { front: readMapping(clean.slice(0, close + 2), 'json'), hasFront: true, body: clean.slice(close + 2) };
    }
    return { front: {}, hasFront: false, body: clean };
  } catch (error) {
    return { refused: `its front matter cannot be read: ${messageOf(error).split('\n')[0] ?? ''}` };
  }
}

/** A page may also begin with the braces of a template. */
function isObjectOfJson(line: string): boolean {
  if (!/^\{.*\}$/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function findFence(text: string, fence: string, from: number): { from: number; to: number } | undefined {
  for (let at = from; at !== -1; at = text.indexOf('\n', at + 1)) {
    if (!text.startsWith(fence, at + 1)) continue;
    const end = text.indexOf('\n', at + 1);
    const line = text.slice(at + 1, end === -1 ? undefined : end);
    if (line.trimEnd() === fence) return { from: at + 1, to: end === -1 ? text.length : end + 1 };
  }
  return undefined;
}

/**
 * Parses a mapping in YAML, TOML or JSON to JSON values, with dates as strings. Ignores unknown tags of YAML.
 * @throws Error with the line
 */
export function readMapping(text: string, format: 'yaml' | 'toml' | 'json'): Record<string, unknown> {
  const value =
    format === 'yaml' ? readYaml(text) : format === 'toml' ? parseToml(text, { maxDepth: MAX_LEVELS }) : readJson(text);
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('it is not a mapping');
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)),
  ) as Record<string, unknown>;
}

function readYaml(text: string): unknown {
  try {
    return parseYaml(text).document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw error instanceof YamlError ? new Error(`${error.message} at line ${error.line}`) : error;
  }
}

function readJson(text: string): unknown {
  if (nestsDeeper(Buffer.from(text), MAX_LEVELS)) throw new Error(`it nests more than ${MAX_LEVELS} levels deep`);
  return JSON.parse(text);
}

/** `true`, `yes`, `on`: the same in YAML 1.1, which some generators use. */
export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes|on)$/i.test(value));
}

export function isFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(?:false|no|off|never)$/i.test(value));
}

/** A string, number or date as string; undefined for anything else and for an empty string. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** One string or a list of them. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) => textOf(one) ?? []);
}

/** The value if it is a mapping, else an empty one. */
export function mappingOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
