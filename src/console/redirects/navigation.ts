import { html, type Html } from '../../text/html.js';
import type { ProjectVisit } from '../shared/console-page.js';

const PAGES = {
  '': 'Rules',
  '/proposals': 'Proposals',
  '/dry-run': 'Dry run',
  '/transfer': 'Import and export',
  '/check': 'Check',
  '/history': 'History',
};

/** Links to what belongs to the redirects of a project. */
export function redirectsNav({ href, project }: ProjectVisit, here: keyof typeof PAGES): Html {
  return html`<nav class="tabs" aria-label="Redirects">${Object.entries(PAGES).map(
    ([path, name]) =>
      html`<a href="${href(`/p/${project.project_id}/redirects${path}`)}"${path === here ? html` aria-current="page"` : undefined}>${name}</a>`,
  )}</nav>`;
}
