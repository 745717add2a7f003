export const SITE_FORMATS = [
  'markdown',
  'html',
  'hugo',
  'jekyll',
  'docusaurus',
  'mkdocs',
  'eleventy',
  'sphinx',
  'sphinx-dirhtml',
] as const;
/** How a folder's files become pages. `sphinx` is its builder html, `/a.html`; `sphinx-dirhtml` the other, `/a/`. */
export type SiteFormat = (typeof SITE_FORMATS)[number];
