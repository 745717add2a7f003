/*
 * Reads literals of configurations that are programs (docusaurus.config.js, eleventy.config.js, conf.py). They are not
 * run, because a checkout may be untrusted.
 */

/** The first string assigned to a name: `url: 'https://…'`, `html_baseurl = "…"`. */
export function literalText(program: string, name: string): string | undefined {
  return new RegExp(
    `(?<![\\w.])${name}['"]?\\s{0,20}[:=]\\s{0,20}(?:"([^"\\n]{0,2000})"|'([^'\\n]{0,2000})'|\`([^\`$\\n]{0,2000})\`)`,
  )
    .exec(program)
    ?.slice(1)
    .find((one) => (one as string | undefined) !== undefined);
}

/** The first boolean assigned to a name. */
export function literalBoolean(program: string, name: string): boolean | undefined {
  const word = new RegExp(`(?<![\\w.])${name}['"]?\\s{0,20}[:=]\\s{0,20}(true|false)\\b`, 'i').exec(program)?.[1];
  return word === undefined ? undefined : word.toLowerCase() === 'true';
}

/** The content of the brackets assigned to a name: `redirects: […]`, `docs: {…}`, `exclude_patterns = […]`. */
export function literalBlock(program: string, name: string): string | undefined {
  const start = new RegExp(`(?<![\\w.])${name}['"]?\\s{0,20}[:=]\\s{0,20}(?=[[{])`).exec(program);
  if (!start) return undefined;
  const from = start.index + start[0].length;
  let depth = 0;
  let quote = '';
  for (let at = from; at < program.length; at++) {
    const character = program[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (/["'`]/.test(character)) quote = character;
    else if (/[[{]/.test(character)) depth++;
    else if (/[\]}]/.test(character) && --depth === 0) return program.slice(from + 1, at);
  }
  return undefined;
}

/** The strings of a list. */
export function literalTexts(block: string | undefined): string[] {
  return [...(block ?? '').matchAll(/"([^"\n]{1,2000})"|'([^'\n]{1,2000})'/g)].map(([, one, two]) => one ?? two ?? '');
}

/** Removes comments of JavaScript (`//`, but not in `https://`) or Python. */
export function withoutComments(program: string, mark: '//' | '#'): string {
  const lines = program.split('\n').map((line) => line.replace(mark === '#' ? /^\s*#.*$/ : /^\s*\/\/.*$/, ''));
  return mark === '#' ? lines.join('\n') : withoutBlocks(lines.join('\n'));
}

/** Linear, where a regular expression would be quadratic for unclosed comments. */
function withoutBlocks(program: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const begin = program.indexOf('/*', from);
    const end = begin < 0 ? -1 : program.indexOf('*/', begin + 2);
    if (end < 0) return parts.join('') + program.slice(from);
    parts.push(program.slice(from, begin));
    from = end + 2;
  }
}
