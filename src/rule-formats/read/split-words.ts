/**
 * Splits a line into its words up to a comment. A quoted text is one word, and a `;` at the end of a word is left out.
 */
export function splitWords(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  return (comment < 0 ? words : words.slice(0, comment))
    .map((word) => word.replace(/;$/, '').replace(/^(["'])(.*)\1$/s, '$2'))
    .filter((word) => word !== '');
}

/** Splits a line of nginx into words: braces and semicolons are words, too, and quoted texts lose their quotes. */
export function nginxWords(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*|[{};]|(?:\\.|\$\{|[^\s;{}\\])+\}?/g) ?? [];
  return words
    .filter((word) => !word.startsWith('#'))
    .map((word) => {
      const bare = /^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1) : word;
      return bare.replace(/\\(["'\\])/g, '$1');
    });
}

/** Splits a line of Apache into words; quoted texts lose their quotes. */
export function apacheWords(line: string): string[] {
  if (/^\s*#/.test(line)) return [];
  const words = line.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\S+/g) ?? [];
  return words.map((word) =>
    /^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1).replace(/\\(["'\\])/g, '$1') : word,
  );
}
