import { html, type Html } from '../../text/html.js';
import type { ProjectVisit } from './console-page.js';

/**
 * Links to related pages of a project: paths below `base` with their names. `query`: the query string behind each path.
 */
export function tabs<Path extends string>(
  visit: ProjectVisit,
  {
    label,
    base,
    pages,
    query = '',
  }: { label: string; base: string; pages: Readonly<Record<Path, string>>; query?: string },
  here: Path,
): Html {
  return html`<nav class="tabs" aria-label="${label}">${Object.entries<string>(pages).map(
    ([path, name]) =>
      html`<a href="${visit.ownHref(base + path + query)}"${path === here ? html` aria-current="page"` : undefined}>${name}</a>`,
  )}</nav>`;
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
