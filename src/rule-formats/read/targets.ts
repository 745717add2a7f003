/** The groups of an expression, by number or name, with what they stand for in a target: `:number`, `:splat`. */
export type Groups = ReadonlyMap<string, string>;

/** The targets of nginx, Apache and IIS name a group in these ways. */
const PART = /\$\{(\w+)\}|\$(\d|[a-z_]\w*)|\{R:(\d)\}/gi;

const MAX_TARGET = 4_096;

/** A target in which groups have the names of the pattern; `parts` is their number. */
interface Named {
  to: string;
  parts: number;
}

/**
 * Replaces the groups of an expression in a target by the placeholders of the pattern.
 * @returns the target; or why that is impossible
 */
export function nameParts(target: string, groups: Groups): Named | { refused: string } {
  if (target.length > MAX_TARGET) return { refused: 'the new address is too long' };
  const origin = /^https?:\/\/[^/?#$]*/i.exec(target)?.[0] ?? '';
  let [to, at] = [origin, origin.length];
  let parts = 0;
  for (const match of target.slice(origin.length).matchAll(PART)) {
    const index = origin.length + match.index;
    const part = groups.get((match.slice(1) as (string | undefined)[]).find((name) => name !== undefined) ?? '');
    if (part === undefined) return { refused: `the expression has no group ${match[0]}` };
    to = joined(to, target.slice(at, index));
    to = to.endsWith('/') ? to + part.replace(/^\//, '') : to + part;
    parts++;
    at = index + match[0].length;
  }
  return { to: joined(to, target.slice(at)), parts };
}

/** Adds a text to a target. It is encoded so that it neither makes the name of a placeholder longer, nor begins one. */
function joined(to: string, text: string): string {
  const plain = text.replace(/(?<![\p{L}\p{N}]):(?=[a-z])/giu, '%3A');
  const isBehind = /:[a-z]\w*$/i.test(to);
  return (
    to + (isBehind ? plain.replace(/^\w/, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`) : plain)
  );
}

/** The targets of servers pass the request's query string on in these ways, before their section. */
const PASSED =
  /(?:\$is_args\$(?:args|query_string)|[?&](?:\$(?:args|query_string)|%\{QUERY_STRING\}|\{QUERY_STRING\}))(?=#|$)/;

/** Takes the request's query string out of a target, and tells whether it was there. */
export function splitPassed(target: string): { target: string; passes: boolean } {
  const bare = target.replace(PASSED, '');
  return { target: bare, passes: bare !== target };
}
