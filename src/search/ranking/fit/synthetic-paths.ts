import { createHash } from 'node:crypto';
import { maskNumbers, plainPath } from '../../../text/paths/plain-path.js';

/** A path with a mistake in its last segment: letters exchanged, left out or doubled. Undefined if it is too short. */
export function mistype(path: string): string | undefined {
  const slash = path.lastIndexOf('/', path.length - 2);
  const [folder, slug] = [path.slice(0, slash + 1), path.slice(slash + 1)];
  const places = [...slug.matchAll(/(?<=\p{L})\p{L}(?=\p{L})/gu)]
    .map(({ index }) => index)
    .filter((at) => slug[at] !== slug[at + 1]);
  if (path.includes('?') || places.length < 2) return undefined;
  const chance = numberOf(path);
  const at = places[chance % places.length] ?? 0;
  const [before, letter, next, after] = [slug.slice(0, at), slug.charAt(at), slug.charAt(at + 1), slug.slice(at + 2)];
  const mistakes = [next + letter, next, letter + letter + next];
  return folder + before + (mistakes[chance % mistakes.length] ?? '') + after;
}

/** Paths of random letters. */
export function junkPaths(many: number): string[] {
  return Array.from({ length: many }, (_, at) => {
    const letters = createHash('sha256')
      .update(`junk ${at}`)
      .digest('base64')
      .toLowerCase()
      .replace(/[^a-z]/g, '');
    return at % 2 === 0 ? `/${letters.slice(0, 9)}` : `/${letters.slice(0, 6)}/${letters.slice(6, 15)}`;
  });
}

/**
 * Names groups of redirects: those to one page, and those whose old paths differ in numbers, case or ending only. What
 * one of a group teaches is not news for the others.
 */
export function groupRedirects(redirects: readonly { old_path: string; page_id: string }[]): string[] {
  const parents = new Map<string, string>();
  const root = (key: string): string => {
    let at = key;
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) at = up;
    return at;
  };
  for (const { old_path: path, page_id: page } of redirects) parents.set(root(pathGroup(path)), root(`page ${page}`));
  return redirects.map(({ page_id: page }) => root(`page ${page}`));
}

function pathGroup(path: string): string {
  return `path ${maskNumbers(plainPath(path).segments)}`;
}

function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
