import { AS_YOU_TYPE } from './as-you-type.js';

/**
 * @typedef {import('../index.js').LinkedSuggestion} LinkedSuggestion
 * @typedef {import('../index.js').RenderContext} RenderContext
 */

/** @type {Record<import('../index.js').Format, string>} */
export const CONTENT_TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
};

/**
 * The page of a site that has no template of its own for it. It needs nothing else: no font or image, and no script but
 * that of the search field.
 * @param {LinkedSuggestion[]} suggestions
 * @param {RenderContext} context
 */
export function renderDefault(suggestions, context) {
  const { format, searchId, status, query } = context;
  const isGone = status !== 404;
  if (format === 'json') return renderJson(suggestions, searchId, isGone, query !== undefined);
  const heading = query !== undefined ? 'Search' : isGone ? 'This page is gone' : 'Page not found';
  return format === 'markdown' ? renderMarkdown(suggestions, heading) : renderHtml(suggestions, heading, context);
}

/**
 * @param {LinkedSuggestion[]} suggestions
 * @param {string} heading
 * @param {RenderContext} context
 */
function renderHtml(suggestions, heading, { query, isTyped = false, searchPath }) {
  const links = suggestions.map(
    ({ href, title }) => `<li><a href="${escapeHtml(href)}" rel="nofollow">${escapeHtml(title)}</a></li>`,
  );
  const list = `<p>You may be looking for:</p>
<ul>
${links.join('\n')}
</ul>`;
  const missing = links.length > 0 ? list : '<p>This page was removed for good.</p>';
  const form = searchPath === undefined ? '' : renderForm(searchPath, query, isTyped, links);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${heading}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem}input{font:inherit;max-width:100%}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${query === undefined ? missing : ''}${form}
</main>
</body>
</html>
`;
}

/**
 * @param {string} searchPath
 * @param {string | undefined} query
 * @param {boolean} isTyped
 * @param {string[]} links those that the query found
 */
function renderForm(searchPath, query, isTyped, links) {
  const what = links.length === 0 ? 'No page' : `${links.length} page${links.length === 1 ? '' : 's'}`;
  const count = isTyped ? `${what} with these words. Press Enter for a full search.` : `${what} found.`;
  return `
<form action="${escapeHtml(searchPath)}" role="search">
<label for="words">Search this site</label>
<input id="words" type="search" name="query" required maxlength="2000" pattern=".*\\S.*" autocomplete="off" value="${escapeHtml(query ?? '')}">
<button>Search</button>
</form>
<p id="count" role="status">${query === undefined ? '' : count}</p>
<ul id="found">${query === undefined ? '' : links.join('\n')}</ul>
<script>${AS_YOU_TYPE}</script>`;
}

/**
 * @param {LinkedSuggestion[]} suggestions
 * @param {string} searchId
 * @param {boolean} isGone
 * @param {boolean} isSearch
 */
function renderJson(suggestions, searchId, isGone, isSearch) {
  const message = isGone
    ? 'This page was removed for good.'
    : 'There is no page at this address. The suggestions may be what you want.';
  return `${JSON.stringify({
    ...(isSearch ? {} : { error: { code: 'not_found', message } }),
    suggestions: suggestions.map(({ url, title, score, href }) => ({ url, title, score, click_url: href })),
    search_id: searchId,
  })}\n`;
}

/**
 * For assistants. Its links are plain: what an assistant follows or passes on is no visitor's click.
 * @param {LinkedSuggestion[]} suggestions
 * @param {string} heading
 */
function renderMarkdown(suggestions, heading) {
  // A url that was parsed has no space, and no sign that ends such a link.
  const links = suggestions.map(({ url, title }) => `[${escapeMarkdown(title)}](<${url}>)`);
  // First what is asked for: an assistant may read no further.
  const list = links.map((link) => `- ${link}\n`).join('');
  if (links.length === 0) return `# ${heading}\n`;
  return `The nearest page is ${links[0]}.\n\n# ${heading}\n\nYou may be looking for:\n\n${list}`;
}

/** @param {string} text */
function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @param {string} text on one line, in which no sign is markup */
function escapeMarkdown(text) {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~&]/g, (character) => `\\${character}`);
}
