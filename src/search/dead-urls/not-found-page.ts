import { createHash } from 'node:crypto';
import { LIMITS } from '../../base/request-limits.js';
import { countOf } from '../../text/count-of.js';
import { Html, html, type HtmlValue } from '../../text/html.js';
import { escapeMarkdown } from '../../text/markdown.js';
import type { FoundSuggestion } from '../answer.js';
import { AS_YOU_TYPE } from './as-you-type.js';
import type { SiteSearch } from './site-search.js';

export interface NotFoundPage {
  isGone: boolean;
  suggestions: readonly FoundSuggestion[];
  /** The search of the site; the page has a search field for it. */
  siteSearch?: SiteSearch | undefined;
}

export const HEADINGS = { missing: 'Page not found', gone: 'This page is gone' };
const EXPLANATIONS = {
  missing: 'There is no page at this address. It may have moved, or the link may be mistyped.',
  gone: 'This page was removed for good.',
};

const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f6; --surface: #fff; --text: #1b2421; --quiet: #59645f; --line: #cfd7d3;
  --accent: #1a6350; --on-accent: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131715; --surface: #1b211e; --text: #e5eae7; --quiet: #a0aca6; --line: #3b4540;
    --accent: #7fcbb2; --on-accent: #0d1a15;
  }
}
* { box-sizing: border-box }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; overflow-wrap: anywhere;
  background: var(--ground); color: var(--text); font: 17px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
main { width: 100%; max-width: 34rem }
h1 { margin: 0 0 .25em; font-size: 1.9rem; line-height: 1.2 }
p { margin: 0 0 1.5em; color: var(--quiet) }
h2 { margin: 0 0 .6em; font-size: 1rem }
ul { list-style: none; margin: 0 0 1.75em; padding: 0; display: grid; gap: .5rem }
ul:empty, p:empty { margin: 0 }
li a { display: block; padding: .7rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface) }
a { color: var(--accent); text-underline-offset: .2em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.75em }
label { flex: 1 0 100%; font-weight: 600; font-size: 1rem }
input {
  flex: 1 1 12rem; min-width: 0; padding: .6rem .8rem; border: 1px solid var(--quiet); border-radius: 8px;
  font: inherit; color: inherit; background: var(--surface);
}
button {
  padding: .6rem 1.1rem; border: 0; border-radius: 8px; cursor: pointer;
  font: inherit; color: var(--on-accent); background: var(--accent);
}
`;
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** Writes the policy of the page: nothing is loaded or run but our script, which requests only from the site. */
export function pagePolicy(search: SiteSearch | undefined): string {
  const script = search?.isOwn ? `; script-src ${hashSource(AS_YOU_TYPE)}; connect-src 'self'` : '';
  const form = `form-action ${search?.source ?? "'none'"}; base-uri 'none'`;
  return `default-src 'none'; style-src ${hashSource(STYLE)}${script}; ${form}`;
}

/** Returns the source of a `Content-Security-Policy` that allows the style or script element with this text. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

type Link = Pick<FoundSuggestion, 'href' | 'title'>;

/** Renders a page without an image. Links are whole urls of the project's pages, as they were pushed. */
export function renderHtml({ isGone, suggestions, siteSearch }: NotFoundPage): string {
  const state = isGone ? 'gone' : 'missing';
  const list = html`<h2>You may be looking for</h2>
<ul>
${linkItems(suggestions)}</ul>
`;
  return renderPage(
    HEADINGS[state],
    html`<p>${EXPLANATIONS[state]}</p>
${suggestions.length > 0 ? list : undefined}${siteSearch && searchForm(siteSearch)}`,
  );
}

/** Renders what a search finds. @param isTyped the visitor types on, and our script shows it */
export function renderFound(search: SiteSearch, query: string, links: readonly Link[], isTyped: boolean): string {
  const pageCount = links.length > 0 ? countOf(links.length, 'page') : 'No page';
  const count = isTyped ? `${pageCount} with these words. Press Enter for a full search.` : `${pageCount} found.`;
  return renderPage('Search', searchForm(search, query, count, links));
}

function linkItems(links: readonly Link[]): Html[] {
  return links.map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>\n`);
}

function searchForm(search: SiteSearch, query = '', count = '', links: readonly Link[] = []) {
  const { action, name, isOwn } = search;
  // A blank alone is no query. The script of our own search shows what it finds in the list.
  const results = html`<p id="count" role="status">${count}</p>
<ul id="found">${linkItems(links)}</ul>
<script>${new Html(AS_YOU_TYPE)}</script>
`;
  const more = html` maxlength="${LIMITS.queryCharacters}" pattern=".*\\S.*" autocomplete="off" value="${query}"`;
  return html`<form action="${action}" role="search">
<label for="words">Search this site</label>
${search.hidden.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">\n`)}<input id="words" type="search" name="${name}" required${isOwn ? more : undefined}>
<button>Search</button>
</form>
${isOwn ? results : undefined}`;
}

function renderPage(heading: string, content: HtmlValue): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${heading}</title>
${STYLE_ELEMENT}
</head>
<body>
<main>
<h1>${heading}</h1>
${content}<a href="/">Go to the home page</a>
</main>
</body>
</html>
`.text;
}

/** Renders the page for assistants, which may read no further than the first line. */
export function renderMarkdown({ isGone, suggestions }: NotFoundPage): string {
  const heading = `# ${isGone ? HEADINGS.gone : HEADINGS.missing}\n`;
  // A url that was parsed has no space, and no sign that ends such a link.
  const links = suggestions.map(({ href, title }) => `[${escapeMarkdown(title)}](<${href}>)`);
  const [nearest] = links;
  if (nearest === undefined) return heading;
  const list = `${heading}\nYou may be looking for:\n\n${links.map((link) => `- ${link}\n`).join('')}`;
  return isGone ? list : `The nearest page is ${nearest}.\n\n${list}`;
}
