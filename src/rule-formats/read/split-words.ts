/** Words of a line: quoted ones whole, without the closing `;`, up to a comment. */
export function splitWords(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  return (comment < 0 ? words : words.slice(0, comment))
    .map((word) => word.replace(/;$/, '').replace(/^(["'])(.*)\1$/s, '$2'))
    .filter((word) => word !== '');
}

/** The words of a line of nginx, in which braces and semicolons are words, too; quoted ones without their quotes. */
export function nginxWords(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*|[{};]|(?:\\.|\$\{|[^\s;{}\\])+\}?/g) ?? [];
  return words
    .filter((word) => !word.startsWith('#'))
    .map((word) => {
      const bare = /^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1) : word;
      return bare.replace(/\\(["'\\])/g, '$1');
    });
}

/** The words of a line of Apache; quoted ones without their quotes. */
export function apacheWords(line: string): string[] {
  if (/^\s*#/.test(line)) return [];
  const words = line.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\S+/g) ?? [];
  return words.map((word) =>
    /^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1).replace(/\\(["'\\])/g, '$1') : word,
  );
}

/** The words of a line of HAProxy, in which a backslash escapes the next character, or a byte as `\x20`. */
export function haproxyWords(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/#.*|(?:\\.|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s\\"'#])+/g)) {
    if (word.startsWith('#')) break;
    // A character of latin1 is a byte.
    const bytes = Buffer.from(word)
      .toString('latin1')
      .replace(/\\x([0-9a-f]{2})|\\(.)|["']/gi, (_, byte?: string, escaped?: string) =>
        byte === undefined ? (escaped ?? '') : String.fromCharCode(Number.parseInt(byte, 16)),
      );
    words.push(Buffer.from(bytes, 'latin1').toString());
  }
  return words;
}
