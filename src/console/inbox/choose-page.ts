import { selectPagesLike } from '../../pages/store/page-listing.js';
import type { FoundSuggestion } from '../../search/answer.js';
import { html, type Html } from '../../text/html.js';
import { badge, button, field, form } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { certainty, explainScore } from '../explain-score.js';
import { makeChanges, toChange } from './decide.js';
import { toneOf } from './inbox-row.js';
import { suggestPages } from './suggestions-ahead.js';

const SHOWN = 8;
const MAX_PATH = 2_048;

interface Choice {
  href: string;
  url: string;
  title: string;
  found?: FoundSuggestion;
  why?: string;
}

/** A page for one missing path: suggestions, and a search that shows results while one types. */
export const inboxChoosePage = projectPage({
  path: '/p/:project/inbox/choose',
  role: 'editor',
  show: async (visit): Promise<View> => {
    const path = readField(visit, 'path');
    const q = readField(visit, 'q').trim();
    const choices = html`<div id="choices">${list(visit, path, q === '' ? await suggested(visit, path) : await searched(visit, q))}</div>`;
    const here = visit.own('/inbox/choose');
    const title = 'Choose a page';
    if (visit.query.get('part') === 'choices')
      return {
        title,
        content: choices,
        raw: { type: 'application/json', body: JSON.stringify({ html: choices.text }) },
      };
    return {
      title,
      script: 'inbox.js',
      content: html`<p>Where should this missing path lead?</p><p class="path url">${path}</p>
<form method="get" action="${visit.href(here)}" class="row" role="search"><input type="hidden" name="path" value="${path}">
${field(visit, { name: 'q', label: 'Search your pages', type: 'search', value: q, autocomplete: 'off', attributes: { autofocus: true, maxlength: 500 } })}
<button class="button">Search</button></form>
${choices}<h2>Somewhere else</h2>
${form(
  visit,
  `${here}/redirect`,
  html`<input type="hidden" name="path" value="${path}">${field(visit, { name: 'target', label: 'Path or url', hint: 'A path such as /new/page, or a full url.', attributes: { required: true, maxlength: 4096 } })}
<button class="button">Redirect there</button>`,
)}`,
    };
  },
  actions: {
    redirect: {
      role: 'editor',
      run: async (visit, given) => {
        const change = toChange('accept', given.text('path', MAX_PATH), given.text('target', 4_096));
        return { to: visit.own('/inbox'), text: await makeChanges(visit, [change]) };
      },
    },
  },
});

function readField({ given, query }: ProjectVisit, name: string): string {
  return (given?.get(name) ?? query.get(name) ?? '').replaceAll('\0', '').slice(0, MAX_PATH);
}

async function suggested({ deps, project }: ProjectVisit, path: string): Promise<Choice[]> {
  if (path.trim() === '') return [];
  const found = await suggestPages(deps, project.project_id, 'suggest', path.trim(), SHOWN);
  return found.map((one) => ({
    ...toChoice(one),
    found: one,
    why: one.explanation && explainScore(one.explanation),
  }));
}

/** Pages that have the text in their path or title, then those that are about it. */
async function searched({ deps, project, tenant }: ProjectVisit, q: string): Promise<Choice[]> {
  const [like, about] = await Promise.all([
    selectPagesLike(tenant.db, project.project_id, q, SHOWN),
    suggestPages(deps, project.project_id, q.startsWith('/') ? 'suggest' : 'semantic-search', q, SHOWN),
  ]);
  const all: Choice[] = [
    ...like.map(({ url, path, title }) => ({ href: url, url: path, title: title ?? '' })),
    ...about.map(toChoice),
  ];
  return all.filter(({ href }, at) => all.findIndex((one) => one.href === href) === at).slice(0, SHOWN);
}

function toChoice({ href, url, title }: FoundSuggestion): Choice {
  return { href, url, title };
}

function list(visit: ProjectVisit, path: string, choices: readonly Choice[]): Html {
  if (choices.length === 0) return html`<p class="quiet" role="status">No page was found.</p>`;
  return html`<ul class="choices">${choices.map(
    ({
      href,
      url,
      title,
      found,
      why,
    }) => html`<li><div><span class="title">${title}</span> <span class="url">${url}</span> ${found === undefined ? undefined : badge(certainty(found), toneOf(found.score))}${why === undefined ? undefined : html`<span class="sub">${why}</span>`}</div>${button(visit, visit.own('/inbox/choose/redirect'), 'Redirect there', { className: 'button small', fields: { path, target: href }, label: `Redirect there: ${url}` })}</li>
`,
  )}</ul>`;
}
