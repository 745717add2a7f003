import { decodePercent } from '../text/paths/path-segments.js';
import { encodePath } from './read/source-address.js';

/** In a wildcard, this segment stands for any number. */
export const NUMBER = ':number';
/** This matches each such segment, with the slash before it. */
export const ANY_NUMBER = /\/:number(?=\/|$)/g;

/** A segment of a pattern: literal text, perhaps with one placeholder in it. Texts are decoded, in NFC. */
export interface PatternSegment {
  before: string;
  placeholder?: Placeholder;
  after: string;
}

export interface Placeholder {
  /** The name that a target uses for the placeholder, without its colon; for `*` it is `splat`. */
  name: string;
  /**
   * `number` takes digits, `text` takes what stands in one segment, and `rest` takes whatever is left, over slashes.
   */
  takes: 'text' | 'number' | 'rest';
}

/**
 * A pattern, such as `/p-:id.html`, `/blog/:number/*` or `/handbook/*.php`: it tells which paths match, and which parts
 * of them a target may name.
 */
export interface PathPattern {
  segments: readonly PatternSegment[];
  endsWithSlash: boolean;
}

/**
 * A placeholder is a star, or a colon and a name. The colon begins its segment or stands behind a character that is
 * neither a letter nor a digit, since `/wiki/Talk:Foo` is a path.
 */
const PLACEHOLDER = /\*|(?<![\p{L}\p{N}]):[a-z]\w*/iu;
/** The limit bounds the work: a path is compared with a thousand patterns at most, segment by segment. */
const MAX_SEGMENTS = 20;

/** Whether the path of a rule, or of its target, has a placeholder: `*`, `:name`. */
export function namesPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.replace(/^https?:\/\/[^/?#]*/i, ''));
}

/** Reads a pattern as it is written; returns why if it is not a pattern. */
export function parsePathPattern(path: string): PathPattern | { refused: string } {
  if (!path.startsWith('/')) return { refused: 'must begin with a slash' };
  if (/#|\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return { refused: 'must have no #, empty segments, or segments of dots' };
  const texts = path.split('/').slice(1);
  const endsWithSlash = texts.at(-1) === '';
  if (endsWithSlash) texts.pop();
  if (texts.length > MAX_SEGMENTS) return { refused: `must have at most ${MAX_SEGMENTS} segments` };
  const names = new Set<string>();
  const segments: PatternSegment[] = [];
  for (const [at, text] of texts.entries()) {
    const match = PLACEHOLDER.exec(text);
    const before = text.slice(0, match?.index);
    const after = match ? text.slice(match.index + match[0].length) : '';
    if (PLACEHOLDER.test(after)) return { refused: 'may have one placeholder in a segment' };
    if (match?.[0] === '*' && at < texts.length - 1) return { refused: 'may have a star in its last segment alone' };
    const placeholder = match && placeholderOf(match[0], names);
    if (placeholder && names.has(placeholder.name)) return { refused: `names ${placeholder.name} twice` };
    if (placeholder) names.add(placeholder.name);
    segments.push({ before: plainText(before), after: plainText(after), ...(placeholder ? { placeholder } : {}) });
  }
  return { segments, endsWithSlash };
}

/** A second `:number` is named number2 in the target. */
function placeholderOf(text: string, names: ReadonlySet<string>): Placeholder {
  if (text === '*') return { name: 'splat', takes: 'rest' };
  let name = text.slice(1);
  for (let at = 2; text === NUMBER && names.has(name); at++) name = `number${at}`;
  return { name, takes: name.startsWith(NUMBER.slice(1)) ? 'number' : 'text' };
}

const plainText = (text: string): string => decodePercent(text, 1).normalize('NFC');

export interface PathMatching {
  /** Whether upper and lower case make a difference. */
  byCase: boolean;
  /** Whether a slash at the end makes a difference. */
  bySlash: boolean;
}

/**
 * Returns what the placeholders of a pattern stand for in a path, percent-encoded; undefined if the path does not
 * match. It takes time in proportion to the path's length.
 * @param path the segments as {@link pathParts} gives them
 */
export function matchPathPattern(pattern: PathPattern, path: readonly string[], matching?: PathMatching) {
  const texts = new Map<string, string>();
  const take = ({ name, takes }: Placeholder, text: string): void => {
    texts.set(name, encodePath(text) + (takes === 'rest' && path.at(-1) === '' ? '/' : ''));
  };
  return hasPattern(pattern, path, matching, take) ? texts : undefined;
}

/**
 * Tells whether a path matches a pattern. `take` gets each placeholder with its decoded text, in which slashes are
 * encoded.
 */
export function hasPattern(
  { segments, endsWithSlash }: PathPattern,
  path: readonly string[],
  { byCase, bySlash }: PathMatching = { byCase: false, bySlash: false },
  take: (placeholder: Placeholder, text: string) => void = () => undefined,
): boolean {
  const hasSlash = path.at(-1) === '';
  const length = path.length - Number(hasSlash);
  const isOpen = segments.at(-1)?.placeholder?.takes === 'rest';
  if (isOpen ? length < segments.length : length !== segments.length) return false;
  if (bySlash && !isOpen && hasSlash !== endsWithSlash) return false;
  return segments.every((segment, at) => {
    const isRest = segment.placeholder?.takes === 'rest';
    // A slash that was sent encoded stays encoded: otherwise it would lead to another path, or host.
    const text = isRest ? path.slice(at, length).map(keepSlashes).join('/') : keepSlashes(path[at] ?? '');
    const taken = matchSegment(segment, text, byCase);
    if (taken !== undefined && segment.placeholder) take(segment.placeholder, taken);
    return taken !== undefined;
  });
}

const keepSlashes = (part: string): string => part.replaceAll('/', '%2F');

function matchSegment({ before, placeholder, after }: PatternSegment, text: string, byCase: boolean) {
  const fold = (part: string): string => (byCase ? part : part.toLowerCase());
  const [compared, begin, end] = [fold(text), fold(before), fold(after)];
  if (!placeholder) return compared === begin ? '' : undefined;
  // Lower case may change the length of a text. Then the placeholder takes its part of the text in lower case.
  const source = compared.length === text.length && begin.length === before.length ? text : compared;
  if (source.length <= begin.length + end.length || !compared.startsWith(begin) || !compared.endsWith(end))
    return undefined;
  const taken = source.slice(begin.length, source.length - end.length);
  return placeholder.takes === 'number' && !/^\d+$/.test(taken) ? undefined : taken;
}

/** Splits a requested path into its segments, decoded and in NFC, with an empty segment behind a slash at the end. */
export function pathParts(path: string): string[] {
  const bare = path.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const [, ...segments] = bare.replace(/\/{2,}/g, '/').split('/');
  return segments.map(plainText);
}

/** A target's placeholder: its colon begins a word, or stands directly behind another placeholder. */
const NAMED = /(?:(?<![\p{L}\p{N}])|(?<=(?<![\p{L}\p{N}]):[a-z]\w{0,60})):([a-z]\w*)/iu;

/** Splits a target into its texts, with the name of a placeholder between each two of them. */
export function splitTarget(target: string): string[] {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? '';
  const parts = target.slice(origin.length).split(NAMED);
  return parts.map((part, at) => (at === 0 ? origin + part : part));
}

/** Whether the target of a wildcard names parts of its path in another place than the rest at the end. */
export function namesParts(path: string, target: string): boolean {
  const names = splitTarget(target.replace(/\/(?::splat|\*)$/, '/')).filter((_, at) => at % 2 === 1);
  return names.some((name) => name === 'splat' || (/^number\d*$/.test(name) && path.includes(NUMBER)));
}

/**
 * Fills the placeholders of a target with what they stand for. In the query string these texts add no parameters of
 * their own, and the path never begins with two slashes, which would begin a host.
 */
export function fillTarget(target: string, texts: ReadonlyMap<string, string>): string {
  let isQuery = false;
  const parts = splitTarget(target).map((text, at) => {
    isQuery ||= at % 2 === 0 && text.includes('?');
    if (at % 2 === 0) return text;
    const value = texts.get(text) ?? `:${text}`;
    return isQuery ? value.replace(/[&=+;]/g, encodeURIComponent) : value;
  });
  return parts.join('').replace(/^\/[/\\]+/, '/');
}

/** Returns the length of a pattern's literal text. */
export function literalLength(pattern: string): number {
  return pattern.replace(/\*|(?<![\p{L}\p{N}]):[a-z]\w*/giu, '').length;
}

/**
 * Returns a pattern and its target without the names of placeholders, which do not change what matches: `/p-:id` and
 * `/p-:name` are the same pattern.
 */
export function withoutNames({ segments }: PathPattern, target: string): { path: string; target: string } {
  const numbers = new Map<string, string>();
  const path = segments.map(({ before, placeholder, after }) => {
    if (!placeholder) return `/${before}`;
    numbers.set(placeholder.name, `:_${numbers.size}`);
    return `/${before}:${placeholder.takes}:${after}`;
  });
  return { path: path.join(''), target: fillTarget(target, numbers) };
}

/** Returns why a target does not fit a pattern; undefined if it fits. */
export function checkPatternTarget({ segments }: PathPattern, target: string): string | undefined {
  const names = new Set(segments.flatMap(({ placeholder }) => placeholder?.name ?? []));
  const parts = splitTarget(target.replace(/^https?:\/\/[^/?#]*/i, ''));
  if (parts.some((text) => text.includes('*'))) return 'has :splat where the rest goes, and no star';
  const unknown = parts.find((name, at) => at % 2 === 1 && !names.has(name));
  return unknown === undefined ? undefined : `names :${unknown}, which the pattern does not have`;
}

/** So many literal segments, at most, stand for a pattern when the rules of a path are looked up. */
const LOOKED_UP = 3;

/**
 * Returns the look-up key of a pattern: its literal segments before the first placeholder, at most {@link LOOKED_UP}.
 */
export function patternStart({ segments }: PathPattern): string {
  const literal = segments.findIndex(({ placeholder }) => placeholder !== undefined);
  return startOf(segments.slice(0, literal < 0 ? segments.length : literal).map(({ before }) => before));
}

/**
 * Lists the keys by which the patterns of a requested path are looked up: each value that {@link patternStart} may have
 * for a pattern that matches.
 * @param path the segments as {@link pathParts} gives them
 */
export function startsOf(path: readonly string[]): string[] {
  const leading = path.filter((segment) => segment !== '').slice(0, LOOKED_UP);
  return [leading, ...leading.map((_, at) => leading.slice(0, at))].map(startOf);
}

function startOf(segments: readonly string[]): string {
  const texts = segments.slice(0, LOOKED_UP).map((segment) => `/${segment.toLowerCase()}`);
  // A path may have %00, and the cut may be in the middle of a character: no text of the database can hold either.
  return texts.join('').slice(0, 300).replaceAll('\0', '').toWellFormed();
}
