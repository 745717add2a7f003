import type { Html } from '../../text/html.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { tabs } from '../shared/links.js';

const PAGES = { '': 'Missing paths', '/judge': 'Judge redirects' } as const;

/** The pages of the inbox. */
export function inboxTabs(visit: ProjectVisit, here: keyof typeof PAGES): Html {
  return tabs(visit, { label: 'Inbox', base: '/inbox', pages: PAGES }, here);
}
