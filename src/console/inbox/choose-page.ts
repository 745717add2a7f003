import { selectPagesLike } from '../../pages/store/page-listing.js';
import type { FoundSuggestion } from '../../search/answer.js';
import { html, type Html } from '../../text/html.js';
import { badge, button, field, form } from '../shared/components.js';
import { asEditor, projectPage, type ProjectVisit } from '../shared/console-page.js';
import { certainty, explainScore } from '../explain-score.js';
import { decideOne } from './decide.js';
import { toneOf } from './inbox-row.js';
import { backTo } from './read-inbox.js';
import { searchUnlogged } from '../../search/search-unlogged.js';

const SHOWN = 8;
const MAX_PATH = 2_048;

/** A page to choose. `suggestion`: the suggestion for the path as visitors would get it, with its explanation. */
type Choice = Pick<FoundSuggestion, 'href' | 'url' | 'title'> & { suggestion?: FoundSuggestion };

/** The page to choose a target for one missing path: suggestions, and a search that shows results during typing. */
export const inboxChoosePage = projectPage({
  path: '/p/:project/inbox/choose',
  title: 'Choose a page',
  role: 'editor',
  show: async (visit) => {
    const path = readField(visit, 'path');
    const q = readField(visit, 'q').trim();
    const back = readField(visit, 'back');
    const choices = html`<div id="choices">${list(visit, path, q === '' ? await suggested(visit, path) : await searched(visit, q))}</div>`;
    const here = visit.ownPath('/inbox/choose');
    const post = form(visit, `${here}/redirect`);
    if (visit.query.get('part') === 'choices')
      return { content: choices, raw: { type: 'application/json', body: JSON.stringify({ html: choices.text }) } };
    return {
      script: 'inbox.js',
      content: html`<p>Where should this missing path lead?</p><p class="path url">${path}</p>
<form method="get" action="${visit.href(here)}" class="row" role="search"><input type="hidden" name="path" value="${path}"><input type="hidden" name="back" value="${back}">
${field(visit, { name: 'q', label: 'Search your pages', type: 'search', value: q, autocomplete: 'off', attributes: { autofocus: true, maxlength: 500 } })}
<button class="button">Search</button></form>
<p class="hint"><kbd>↓</kbd> goes to the results, <kbd>Enter</kbd> redirects there. <a class="back" href="${visit.href(backTo(visit, back))}">Back to the inbox</a> <kbd>Esc</kbd></p>
<p class="explained">A score is how probably the path means the page, where it is compared with the path. Below it stands what speaks for the page, with its share in the score.</p>${choices}<h2>Another target</h2>
${post`<input type="hidden" name="path" value="${path}"><input type="hidden" name="back" value="${back}">${field(visit, { name: 'target', label: 'Path or url', hint: 'A path such as /new/page, or a full url.', attributes: { required: true, maxlength: 4096 } })}
<button class="button">Redirect there</button>`}`,
    };
  },
  actions: {
    redirect: asEditor(async (visit, fields) => {
      const text = await decideOne(visit, 'accept', fields.text('path', MAX_PATH), fields.text('target', 4_096));
      return { to: backTo(visit, fields.get('back')), text };
    }),
  },
});

function readField({ fields, query }: ProjectVisit, name: string): string {
  return (fields?.get(name) ?? query.get(name) ?? '').replaceAll('\0', '').slice(0, MAX_PATH).toWellFormed();
}

/** Finds the suggestions that visitors would get; none if the search fails, for example without a free slot. */
async function ask({ deps, project }: ProjectVisit, kind: 'suggest' | 'semantic-search', input: string) {
  const answer = searchUnlogged(deps, project.project_id, { kind, input, limit: SHOWN });
  return (await answer.catch(() => undefined))?.suggestions ?? [];
}

async function suggested(visit: ProjectVisit, path: string): Promise<Choice[]> {
  if (path.trim() === '') return [];
  return (await ask(visit, 'suggest', path.trim())).map((suggestion) => ({ ...suggestion, suggestion }));
}

/** Finds pages that have the text in their path or title, then those that are about it. */
async function searched(visit: ProjectVisit, q: string): Promise<Choice[]> {
  const [like, about] = await Promise.all([
    selectPagesLike(visit.tenant.db, visit.project.project_id, q, SHOWN),
    ask(visit, q.startsWith('/') ? 'suggest' : 'semantic-search', q),
  ]);
  const all: Choice[] = [
    ...like.map(({ url, path, title }) => ({ href: url, url: path, title: title ?? '' })),
    ...about,
  ];
  return all.filter(({ href }, at) => all.findIndex((choice) => choice.href === href) === at).slice(0, SHOWN);
}

function list(visit: ProjectVisit, path: string, choices: readonly Choice[]): Html {
  if (choices.length === 0) return html`<p class="quiet" role="status">No pages found.</p>`;
  const item = ({ href, url, title, suggestion }: Choice): Html => {
    const why = suggestion?.explanation && html`<span class="sub">${explainScore(suggestion.explanation)}</span>`;
    return html`<li><div><span class="title">${title}</span> <span class="url">${url}</span> ${suggestion && badge(certainty(suggestion), toneOf(suggestion.score))}${why}</div>${button(visit, visit.ownPath('/inbox/choose/redirect'), 'Redirect there', { className: 'button small', fields: { path, target: href, back: readField(visit, 'back') }, label: `Redirect there: ${url}` })}</li>
`;
  };
  return html`<ul class="choices">${choices.map(item)}</ul>`;
}
