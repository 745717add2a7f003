import { readFile } from 'node:fs/promises';
import { findLastNotFound } from '../../analytics/store/not-founds.js';
import { invalid } from '../../base/errors.js';
import { LIMITS } from '../../base/request-limits.js';
import { makeKey } from '../../projects/keys.js';
import { DEFAULT_PLAN, ratesOf } from '../../projects/plans.js';
import { makeProject } from '../../projects/projects.js';
import { listKeys } from '../../projects/store/keys.js';
import { isSure } from '../../search/ranking/scores/score.js';
import { amount, countOf } from '../../text/count-of.js';
import { readSource } from '../../sync/project-source.js';
import { findFrontServer } from '../../sync/store/sync-runs.js';
import { html, type Html } from '../../text/html.js';
import { parseUrl } from '../../text/page-url.js';
import { isSamePage } from '../../text/same-url.js';
import { searchUnlogged } from '../../search/search-unlogged.js';
import { button, empty, field, form, time } from '../shared/components.js';
import { actorOf, asAdmin, projectPage, type ProjectVisit, userPage } from '../shared/console-page.js';
import { scoreText } from '../shared/numbers.js';
import { MAX_URL, queuePreview, readAddress, SOURCE_ACTIONS, sourceSection, UNSCHEDULED } from './source.js';

const KEY_NAME = 'The site';
const MAX_SHOWN = 3;

/** The page connects a site: its source, a key with the lines for its server, and a dead link to try. */
export const connectPage = projectPage({
  path: '/p/:project/connect',
  nav: 'Connect',
  show: async (visit) => html`<h2>1. Choose where pages come from</h2>${await sourceSection(visit)}
<h2 id="key">2. Connect your server</h2>${await keySection(visit)}
<h2 id="try">3. Try a dead link</h2>${await trySection(visit)}`,
  actions: {
    ...SOURCE_ACTIONS,
    key: asAdmin(async (visit) => {
      const { deps, project } = visit;
      const keyOptions = { name: KEY_NAME, mode: 'live', expiresAt: null } as const;
      // A file of the web server will hold the key: it may search and report events, and change nothing.
      const { key } = await makeKey(deps.db, actorOf(visit), project, { ...keyOptions, scopes: ['read'] });
      const text = 'Key created. It is shown only once, also in the lines below. Copy them now.';
      return { to: visit.ownPath('/connect#key'), text, secret: key };
    }),
  },
});

async function keySection(visit: ProjectVisit): Promise<Html> {
  const { deps, project, notice, may } = visit;
  const source = await readSource(deps.db, project.project_id);
  const site = parseUrl(source?.base ?? source?.source ?? '')?.host;
  const lines = await serverLines(deps.apiUrl, notice?.secret ?? 'pm_live_…', site || undefined);
  const fitting = await findFrontServer(visit.tenant.db, project.project_id);
  const keys = may('admin') ? await listKeys(deps.db, project.project_id) : [];
  const lastUsed = keys.map(({ last_used_at: at }) => at).sort((a, b) => Number(b) - Number(a))[0] ?? null;
  const missed = await findLastNotFound(deps.db, project.project_id);
  const known =
    keys.length === 0
      ? html`<p>Your server calls pathmend with a key, which it keeps secret.</p>`
      : html`<p>The project has <a href="${visit.ownHref('/settings#keys')}">${countOf(keys.length, 'key')}</a>. ${missed ? html`Latest 404 of a visitor ${time(missed)}: your server is connected.` : lastUsed ? html`Last used ${time(lastUsed)}. Your server has not reported a visitor's 404 yet: ask your site for a missing page in a browser.` : keys.length === 1 ? 'It has not been used yet.' : 'None has been used yet.'}</p>`;
  return html`${
    may('admin')
      ? html`${known}<div class="actions">${button(visit, visit.ownPath('/connect/key'), keys.length === 0 ? 'Create a key' : 'Create another key', { className: keys.length === 0 ? 'button primary' : 'button' })}</div>`
      : html`<p>Ask an admin of the project to create a key.</p>`
  }<h3>What answers your visitors?</h3>${fitting !== undefined && html`<p class="explained">By the headers of your pages: ${fitting}. Choose another if that is wrong.</p>`}<p>Paste these lines into its configuration, and reload it. <code>${deps.apiUrl}</code> must be the address at which it reaches pathmend.${notice?.secret === undefined ? ' Replace pm_live_… with the key.' : ''}</p>${lines.map(
    ({ server, where, lines }) =>
      html`<details name="server"${server === fitting && html` open`}><summary>${server}</summary><p class="hint">${where}</p><pre tabindex="0" role="region" aria-label="Lines for ${server}">${lines}</pre></details>`,
  )}<p class="hint">Traefik, HAProxy and others: docs/start/missing-pages.md.</p>`;
}

async function trySection(visit: ProjectVisit): Promise<Html> {
  const max = LIMITS.pathCharacters;
  const path = [...(visit.query.get('dead') ?? '').trim()].slice(0, max).join('');
  return html`<p>See what visitors get who follow an old or mistyped link. These tests are not counted.</p><form method="get" action="${visit.ownHref('/connect#try')}" class="row">
${field(visit, { name: 'dead', label: 'A path that does not exist on your site', value: path, attributes: { required: true, maxlength: max, placeholder: '/old/page-that-moved' } })}
<button class="button">Show the answer</button></form>${path !== '' && (await answerTo(visit, path))}`;
}

async function answerTo(visit: ProjectVisit, path: string): Promise<Html> {
  const { deps, project } = visit;
  const request = { kind: 'suggest', input: path, limit: MAX_SHOWN } as const;
  const { suggestions, isGone, leadsTo } = await searchUnlogged(deps, project.project_id, request);
  const [best] = suggestions;
  const thresholds = { redirectAbove: project.redirect_above, shownFrom: project.shown_from };
  const shown = suggestions.filter(({ score }) => score >= project.shown_from);
  const more = html`<p><a href="${visit.ownHref(`/try?${new URLSearchParams({ input: path }).toString()}`)}">Why, and other similar pages</a></p>`;
  if (isGone === true)
    return empty('This path is gone.', 'A rule marks it as gone: the answer is 410, and no page is suggested.');
  if (leadsTo === undefined && best && isSamePage(path, best.href))
    return empty('This page exists.', 'Try a path that does not exist on your site.');
  if (leadsTo !== undefined || (best && isSure(best, thresholds)))
    return html`<div class="notice" role="status"><p>The visitor is redirected to <span class="url">${leadsTo ?? best?.href}</span>${leadsTo === undefined && best ? ` (score ${scoreText(best.score)})` : ', by a rule'}.</p></div>${more}`;
  if (shown.length === 0)
    return empty('No similar page.', 'The visitor sees the plain 404 page, and the path would appear in the inbox.');
  return html`<div class="notice" role="status"><p>The visitor sees a 404 page with ${shown.length === 1 ? 'this link' : `these ${amount(shown.length)} links`}. The path would appear in the inbox.</p></div><ul>${shown.map(
    ({ href, title, score }) =>
      html`<li>${title} <span class="url">${href}</span> <span class="quiet">score ${scoreText(score)}</span></li>`,
  )}</ul>${more}`;
}

/** The lines for one web server. `where`: a sentence about the place for them. */
export type ServerLines = Record<'server' | 'where' | 'lines', string>;

const FILE = new URL('../assets/server-lines.md', import.meta.url);
const SECTION = /^## (?<server>.+)\n\n(?<where>.+)\n\n```\w+\n(?<lines>[^]*?)\n```$/gm;

/**
 * Returns the lines that make a site's server ask pathmend for the answers to its 404s, as docs/start/missing-pages.md
 * and the clients' READMEs have them (test/unit/console/connect/server-lines.test.ts checks that they are the same).
 * @param url where the server reaches the API
 * @param site the host of the site, if it is known
 */
export async function serverLines(url: string, key: string, site = 'your site'): Promise<ServerLines[]> {
  const text = await readFile(FILE, 'utf8');
  // The replacements are functions, because a $ in a replacement text has a meaning.
  const withKey = text.replaceAll('http://127.0.0.1:8080', () => url).replaceAll('pm_live_…', () => key);
  const filledIn = withKey.replaceAll('www.example.com', () => site);
  return [...filledIn.matchAll(SECTION)].map(({ groups }) => ({ ...groups }) as ServerLines);
}

const MAX_NAME = 200;

/** The page makes a project, and previews its site. */
export const newProjectPage = userPage({
  path: '/new',
  title: 'New project',
  role: 'admin',
  show: (visit) => {
    const post = form(visit, '/new/make');
    return html`<p>A project is one site: its pages, its rules and its missing paths. Enter the address to preview the pages that pathmend finds. No pages are stored until you confirm.</p>${post`${field(visit, { name: 'source', label: 'Site address', hint: 'For example https://www.example.com. Leave empty to upload a file of pages instead.', attributes: { maxlength: MAX_URL, autofocus: true } })}
${field(visit, { name: 'name', label: 'Project name', hint: 'Leave empty to use the host name of the site.', attributes: { maxlength: MAX_NAME } })}
<button class="button primary">Create project</button>`}`;
  },
  actions: {
    make: asAdmin(async (visit, fields) => {
      const { db } = visit.deps;
      const source = readAddress(fields.text('source', MAX_URL, 0));
      const name = fields.text('name', MAX_NAME, 0) || (source?.host ?? '');
      if (name === '') throw invalid('name', 'Enter a site address or a project name.');
      const plan = { plan: DEFAULT_PLAN, ...ratesOf(DEFAULT_PLAN, {}) };
      const project = await makeProject(db, actorOf(visit), { name, ...plan });
      const projectPath = `/p/${project.project_id}`;
      if (!source) return { to: `${projectPath}/connect`, text: 'Project created. Choose where its pages come from.' };
      return queuePreview(visit, project.project_id, { ...UNSCHEDULED, kind: 'url', source: source.href });
    }),
  },
});
