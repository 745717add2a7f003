import { html, type Html } from '../../text/html.js';
import type { Assets } from '../assets.js';
import { button, navLink } from './components.js';
import type { View, Visit } from './console-page.js';

export interface Frame {
  visit: Visit;
  assets: Assets;
  nonce: string;
  /** The pages of a project that are in the navigation: paths below the project's, with their names. */
  nav: readonly { path: string; name: string }[];
  /** The path of the page, below CONSOLE_URL. */
  path: string;
}

/** The whole document around a page's content. */
export function renderPage(frame: Frame, view: View): string {
  const { visit, assets, nonce } = frame;
  const { project } = view;
  const asset = (name: string): string => visit.href(assets.path(name));
  const title = [view.title, project?.name, 'pathmend'].filter(Boolean).join(' · ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${view.refresh !== undefined && html`<meta http-equiv="refresh" content="${view.refresh}">`}
<title>${title}</title>
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('console.css')}" nonce="${nonce}">
<script src="${asset('console.js')}" nonce="${nonce}" defer></script>
${view.script !== undefined && html`<script src="${asset(view.script)}" nonce="${nonce}" defer></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="${visit.href('/')}"><img src="${asset('icon.svg')}" alt="" width="24" height="24">pathmend</a>
${visit.user ? account(frame) : undefined}
</header>
<div class="frame${project ? '' : ' narrow'}">
${project ? navigation(frame, project) : undefined}
<main id="content" tabindex="-1">
<h1>${view.title}</h1>
${view.isGenerated ? html`<p class="notice generated">The visits in this project are generated, to show the console with a month of traffic. No person made them.</p>` : undefined}${messages(visit)}${view.content}
</main>
</div>
</body>
</html>
`.text;
}

function account({ visit, path }: Frame): Html {
  const link = (to: string, text: string): Html => navLink(visit.href(to), text, path === to);
  const logOut = button(visit, '/logout/session', 'Log out', { className: 'link' });
  return html`<nav class="account" aria-label="Account">${link('/', 'All projects')}${link('/audit', 'Audit')}${link('/account', 'Account')}${logOut}</nav>`;
}

function navigation({ visit, nav, path }: Frame, { project_id, name }: NonNullable<View['project']>): Html {
  const below = `/p/${project_id}`;
  // The project may be named in the path; a page's detail belongs to the page.
  const here = path.replace(/^\/p\/[^/]*/, below);
  const isHere = (to: string): boolean => here === to || (to !== below && here.startsWith(`${to}/`));
  const links = nav.map((page) => navLink(visit.href(below + page.path), page.name, isHere(below + page.path)));
  return html`<nav class="side" aria-label="Project"><p class="project">${name}</p><ul>${links.map((link) => html`<li>${link}</li>`)}</ul></nav>`;
}

function messages({ notice, problem }: Visit): Html {
  const secret = notice?.secret;
  const copied =
    secret !== undefined &&
    html`<p class="secret"><label for="secret" class="unseen">Value to copy</label><input id="secret" readonly value="${secret}"></p>`;
  const done = notice && html`<div class="notice" role="status"><p>${notice.text}</p>${copied}</div>`;
  return html`${done}${problem && html`<div class="notice bad" role="alert"><p>${problem.message}</p></div>`}`;
}
