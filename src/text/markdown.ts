/** Writes a text on one line, without a character that Markdown would read as markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~&]/g, (character) => `\\${character}`);
}
