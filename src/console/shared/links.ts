import { html, type Html } from '../../text/html.js';
import { navLink } from './components.js';
import type { ProjectVisit } from './console-page.js';

/** Links to related pages of a project: paths below `base`, each with the query string, and their names. */
export function tabs<Path extends string>(
  { ownHref }: ProjectVisit,
  nav: { label: string; base: string; pages: Readonly<Record<Path, string>>; query?: string },
  here: Path,
): Html {
  const { label, base, pages, query = '' } = nav;
  const links = Object.entries<string>(pages);
  return html`<nav class="tabs" aria-label="${label}">${links.map(([path, name]) => navLink(ownHref(base + path + query), name, path === here))}</nav>`;
}

/** A button that leads to the rows behind those of the list. */
export function pager(href: string, text: string): Html {
  return html`<p class="pager"><a class="button" href="${href}">${text}</a></p>`;
}

/** The href, below the project, of the page about a missing path. */
export function pathHref(path: string): string {
  return `/inbox/path?${new URLSearchParams({ path }).toString()}`;
}

export function pathLink({ ownHref }: ProjectVisit, path: string): Html {
  return html`<a class="url" href="${ownHref(pathHref(path))}">${path}</a>`;
}

/** The href, below the project, of the list of the rules of a path. */
export function ruleHref(path: string): string {
  return `/redirects?${new URLSearchParams({ search: path }).toString()}`;
}
