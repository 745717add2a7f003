import { LIMITS } from '../base/request-limits.js';
import { countOf } from '../text/count-of.js';
import { DEFAULT_THRESHOLD } from '../search/routes/search-route.js';
import type { FoundSuggestion, SearchAnswer } from '../search/answer.js';
import { certainty, evidenceName } from './explain-score.js';
import { selectQuestionsFound } from '../analytics/store/paths-of-page.js';
import { readUnresolved } from './inbox/read-inbox.js';
import { searchUnlogged } from '../search/search-unlogged.js';
import { html, type Html } from '../text/html.js';
import { percent } from './shared/numbers.js';
import { badge, bar, empty, field, select } from './shared/components.js';
import { projectPage, type ProjectVisit } from './shared/console-page.js';

const MAX_SHOWN = 10;
const EXAMPLES = 5;
/** The maximum number of missing paths that are looked at to find the examples. */
const MAX_LOOKED = 1_000;
const KINDS = { path: 'A dead path', query: 'A question', typed: 'Words, as a search field shows them' };

interface PastRequests {
  kind: keyof typeof KINDS;
  input: string;
  threshold: number;
}

/** The page searches as the API does, without a trace in the analytics, and also shows pages below the threshold. */
export const tryPage = projectPage({
  path: '/p/:project/try',
  nav: 'Try it',
  show: async (visit) => {
    const test = readTestInput(visit);
    const kind = test.kind === 'path' ? 'suggest' : 'semantic-search';
    const request = { kind, input: test.input, limit: MAX_SHOWN, isTyped: test.kind === 'typed' } as const;
    const answer = test.input === '' ? undefined : await searchUnlogged(visit.deps, visit.project.project_id, request);
    return html`${askForm(visit, test)}${answer ? results(visit, test, answer) : html`<p class="explained">See what a visitor would get for a dead path or a question, without counting it.</p>${await examples(visit)}`}`;
  },
});

function readTestInput({ query }: ProjectVisit): PastRequests {
  const kind = (['query', 'typed'] as const).find((each) => each === query.get('kind')) ?? 'path';
  const max = kind === 'path' ? LIMITS.pathCharacters : LIMITS.queryCharacters;
  const input = [...(query.get('input') ?? '').trim()].slice(0, max).join('');
  const threshold = Number(query.get('threshold') ?? DEFAULT_THRESHOLD);
  return { kind, input, threshold: threshold >= 0 && threshold <= 1 ? threshold : DEFAULT_THRESHOLD };
}

function askForm(visit: ProjectVisit, { kind, input, threshold }: PastRequests): Html {
  return html`<form method="get" action="${visit.ownHref('/try')}" class="card try">
<div class="row">
${field(visit, { name: 'input', label: 'Path or question', value: input, attributes: { required: true, maxlength: 2048, placeholder: '/old/page-that-moved' } })}
${select(visit, { name: 'kind', label: 'Type', value: kind, choices: KINDS })}
</div>
<div class="row">
${field(visit, { name: 'threshold', label: 'Threshold', type: 'number', value: String(threshold), hint: 'Minimum score of a result, 0 to 1. Settings has the scores from which visitors are redirected or shown links.', attributes: { min: 0, max: 1, step: 'any', 'data-slider': 'threshold' } })}
<button class="button primary">Try</button>
</div></form>`;
}

/** Lists real missing paths and questions of the project as examples. */
async function examples({ deps, project, ownHref }: ProjectVisit): Promise<Html> {
  const [{ rows }, questions] = await Promise.all([
    readUnresolved(deps, project.project_id, {}, undefined, EXAMPLES, MAX_LOOKED),
    selectQuestionsFound(deps.db, project.project_id, undefined, EXAMPLES),
  ]);
  const list = (title: string, kind: PastRequests['kind'], inputs: readonly string[], none: string): Html =>
    html`<h2>${title}</h2>${
      inputs.length === 0
        ? html`<p class="quiet">${none}</p>`
        : html`<ul class="examples">${inputs.map((input) => html`<li><a${kind === 'path' && html` class="url"`} href="${ownHref(`/try?${new URLSearchParams({ kind, input }).toString()}`)}">${input}</a></li>`)}</ul>`
    }`;
  const paths = rows.map(({ path }) => path);
  const noPath = 'No missing path needs a decision. Try any path, such as an old one with a typing error.';
  const texts = questions.map(({ question }) => question);
  const noQuestion = 'No recent questions. To try any question, choose “A question” above.';
  return html`${list('Missing paths', 'path', paths, noPath)}${list('Questions from visitors', 'query', texts, noQuestion)}`;
}

function results(visit: ProjectVisit, test: PastRequests, { suggestions, understood, isGone }: SearchAnswer): Html {
  if (isGone === true) return empty('This path is gone.', 'A rule marks it as gone: it gets no suggestions, or a 410.');
  if (suggestions.length === 0)
    return empty('No similar page.', 'There is nothing to search for in it, or the project has no similar page.');
  const reaching = suggestions.filter(({ score }) => score >= test.threshold).length;
  return html`<h2>Results</h2><p class="explained">A score is how probably this is the page, from 0 to 1. “Why” lists what speaks for the page, with its share in the score.</p>
<p><span id="reaching">${reaching}</span> of ${countOf(suggestions.length, 'result')} at or above the threshold.${test.kind === 'path' && html` The path was read as <q>${understood}</q>.`}</p>
<ol class="answers">${suggestions.map((suggestion, place) => answerItem(visit, suggestion, test.threshold, place === 0))}</ol>`;
}

function answerItem(visit: ProjectVisit, suggestion: FoundSuggestion, threshold: number, isOpen: boolean): Html {
  const { pageId, url, title, score, explanation } = suggestion;
  const { corrections = [], rewriting, evidence = {}, chosen, bounded, doubts = [], gone } = explanation ?? {};
  const rows = Object.entries(evidence).map(
    ([name, share]) =>
      html`<tr><th scope="row">${evidenceName(name)}</th><td class="number">${percent(share)}</td><td class="long">${bar(share)}</td></tr>`,
  );
  const isBound = chosen !== undefined || bounded !== undefined;
  return html`<li class="card answer" data-score="${score}">
<div class="answer-head"><h3><a href="${visit.ownHref(`/pages/${pageId}`)}">${title}</a></h3>
<p class="score"><strong>${certainty({ score, explanation })}</strong> <span class="verdict">${score >= threshold ? badge('answered', 'good') : badge('below the threshold', 'quiet')}</span></p></div>
<p class="url quiet">${url}</p>
${bounded !== undefined && html`<p>At most: ${bounded}.</p>`}${doubts.length > 0 && html`<p>But ${doubts.join('; ')}.</p>`}${gone !== undefined && html`<p>Proposed as gone: ${gone}.</p>`}${!isBound && bar(score)}
${corrections.length > 0 && html`<p>Spelling: ${corrections.map(({ from, to }) => html`<q>${from}</q> read as <q>${to}</q> `)}</p>`}
${rewriting !== undefined && html`<p>${rewriting}</p>`}
<details${isOpen && html` open`}><summary>Why</summary><table class="evidence"><caption class="unseen">Evidence for ${title}</caption>
<thead class="unseen"><tr><th scope="col">Evidence</th><th scope="col">Share</th><th scope="col">Bar</th></tr></thead><tbody>${rows}</tbody></table></details>
</li>`;
}
