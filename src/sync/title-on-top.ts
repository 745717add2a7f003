/**
 * The content with its title as first heading, since only content is searched. A title that the content begins with is
 * not repeated (indexed-text.ts does the same), nor is one that would make the content too long.
 *
 * @param max characters of a content
 */
export function titleOnTop(content: string, title: string | null | undefined, max: number): string {
  const heading = title?.trim() ?? '';
  if (heading === '' || content.replace(/^[\s#]+/, '').startsWith(heading)) return content;
  const whole = `${heading}\n\n${content}`;
  return whole.length > max && [...whole].length > max ? content : whole;
}
