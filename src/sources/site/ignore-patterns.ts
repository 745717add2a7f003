/**
 * Whether a path is named by patterns as in .gitignore, one a line: `*`, `**`, `?`, a slash in front or inside that
 * binds to the root, one at the end that means a folder, and `!` that takes back. The last pattern that fits decides.
 */
export function excludedBy(patterns: string): (path: string) => boolean {
  const rules = patterns
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ excludes: !line.startsWith('!'), matches: toExpression(line.replace(/^!/, '')) }));
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.excludes ?? false;
}

function toExpression(pattern: string): RegExp {
  const isBound = pattern.replace(/\/$/, '').includes('/');
  const text = pattern
    .replace(/^\/|\/$/g, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*{2,}\/?|\*|\?/g, (mark) => (mark.startsWith('**') ? '(?:.*)' : mark === '*' ? '[^/]*' : '[^/]'));
  return new RegExp(`${isBound ? '^' : '(?:^|/)'}${text}(?:/|$)`);
}
