/*
 * Configurations that are programs (docusaurus.config.js, eleventy.config.js, conf.py) are not run: a checkout may come
 * from anybody. What they set to a literal is read.
 */

/** The first text that a program gives to a name: `url: 'https://…'`, `html_baseurl = "…"`. */
export function literalText(program: string, name: string): string | undefined {
  return new RegExp(
    `(?<![\\w.])${name}['"]?\\s{0,20}[:=]\\s{0,20}(?:"([^"\\n]{0,2000})"|'([^'\\n]{0,2000})'|\`([^\`$\\n]{0,2000})\`)`,
  )
    .exec(program)
    ?.slice(1)
    .find((one) => (one as string | undefined) !== undefined);
}

/** The first truth value that a program gives to a name. */
export function literalBoolean(program: string, name: string): boolean | undefined {
  const word = new RegExp(`(?<![\\w.])${name}['"]?\\s{0,20}[:=]\\s{0,20}(true|false)\\b`, 'i').exec(program)?.[1];
  return word === undefined ? undefined : word.toLowerCase() === 'true';
}

/** What stands between the brackets behind a name: `redirects: […]`, `docs: {…}`, `exclude_patterns = […]`. */
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

/** The texts of a list. */
export function literalTexts(block: string | undefined): string[] {
  return [...(block ?? '').matchAll(/"([^"\n]{1,2000})"|'([^'\n]{1,2000})'/g)].map(([, one, two]) => one ?? two ?? '');
}

/** Without comments of JavaScript (`//`, but not in `https://`) or Python. */
export function withoutComments(program: string, mark: '//' | '#'): string {
  const lines = program.split('\n').map((line) => line.replace(mark === '#' ? /^\s*#.*$/ : /^\s*\/\/.*$/, ''));
  return mark === '#' ? lines.join('\n') : withoutBlocks(lines.join('\n'));
}

/** A pattern would look for the end of each of a thousand comments that have none. */
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
