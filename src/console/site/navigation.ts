import { html, type Html } from '../../text/html.js';
import type { ProjectVisit } from '../shared/console-page.js';

const PAGES = { '': 'Pages', '/syncs': 'Syncs' };

/** Links to what belongs to the pages of a project. */
export function pagesNav({ href, project }: ProjectVisit, here: keyof typeof PAGES): Html {
  return html`<nav class="tabs" aria-label="Pages">${Object.entries(PAGES).map(
    ([path, name]) =>
      html`<a href="${href(`/p/${project.project_id}/pages${path}`)}"${path === here ? html` aria-current="page"` : undefined}>${name}</a>`,
  )}</nav>`;
}
