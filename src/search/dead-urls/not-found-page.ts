import type { FoundSuggestion } from '../answer.js';

export interface NotFoundPage {
  isGone: boolean;
  suggestions: readonly FoundSuggestion[];
}

export const HEADINGS = { missing: 'Page not found', gone: 'This page is gone' };

/** A page without script, style sheet or image. Links are whole urls of the project's pages, as they were pushed. */
export function renderHtml({ isGone, suggestions }: NotFoundPage): string {
  const heading = isGone ? HEADINGS.gone : HEADINGS.missing;
  const links = suggestions.map(({ href, title }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a></li>`);
  const list = `<p>You may be looking for:</p>\n<ul>\n${links.join('\n')}\n</ul>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${heading}</title>
</head>
<body>
<main>
<h1>${heading}</h1>
${links.length > 0 ? list : ''}</main>
</body>
</html>
`;
}

/** For assistants. */
export function renderMarkdown({ isGone, suggestions }: NotFoundPage): string {
  const heading = `# ${isGone ? HEADINGS.gone : HEADINGS.missing}\n`;
  // A url that was parsed has no space, and no sign that ends such a link.
  const links = suggestions.map(({ href, title }) => `- [${escapeMarkdown(title)}](<${href}>)\n`);
  return links.length > 0 ? `${heading}\nYou may be looking for:\n\n${links.join('')}` : heading;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** On one line, in which no sign is markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~&]/g, (character) => `\\${character}`);
}
