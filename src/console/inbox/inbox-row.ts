import type { MissingPathRow, ReferrerRow } from '../../analytics/store/missing-paths.js';
import type { FoundSuggestion } from '../../search/answer.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { badge, time, type Tone } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { readInboxQuery, writeInboxQuery } from './read-inbox.js';
import { certainty, explainScore } from '../explain-score.js';
import { pathHref, pathLink, tabs } from '../shared/links.js';

export interface InboxRow extends MissingPathRow {
  /** The best page, whatever its score; null: there is none; undefined: it is still being looked up. */
  suggestion: FoundSuggestion | null | undefined;
  referrers: readonly ReferrerRow[];
}

/** Suggestions with a lower score are shown as a guess. */
const DOUBTFUL = 0.3;

const PAGES = { '': 'Missing paths', '/judge': 'Judge redirects' } as const;

/** Links to the pages of the inbox. */
export function inboxTabs(visit: ProjectVisit, here: keyof typeof PAGES): Html {
  return tabs(visit, { label: 'Inbox', base: '/inbox', pages: PAGES }, here);
}

/** A missing path, with its suggestion and the controls to decide about it. It goes in the form of the inbox. */
export function inboxRow(visit: ProjectVisit, row: InboxRow): Html {
  const { hash, path, people, robots, last_human, suggestion, best_url } = row;
  // A path that is proposed as gone has no page to accept: an editor who knows one chooses it.
  const target = suggestion?.explanation?.gone === undefined ? (suggestion?.href ?? best_url ?? undefined) : undefined;
  const id = `row-${hash.slice(0, 12)}`;
  return html`<li class="missing" tabindex="-1" aria-labelledby="${id}"${suggestion === undefined && html` data-ask="${hash}"`}>
${visit.may('editor') && html`<label class="pick"><input type="checkbox" name="row" value="${hash}"><span class="unseen">Select ${path}</span></label>`}
<div class="about"><p class="path url" id="${id}">${pathLink(visit, path)}</p>
${suggested(visit, row, target)}
<p class="met"><a href="${visit.ownHref(pathHref(path))}" aria-label="${countOf(people, 'request')} for ${path}"><strong>${countOf(people, 'request')}</strong></a> by people${robots > 0 && `, ${countOf(robots, 'robot request')}`} · last seen ${time(last_human)}</p>
${judgedWrong(row)}
${row.referrers.length > 0 && html`<p class="met">Linked from ${row.referrers.map(referrer)}</p>`}</div>
${visit.may('editor') && decisions(visit, row, target)}</li>
`;
}

function suggested(visit: ProjectVisit, { path, suggestion, best_score }: InboxRow, target: string | undefined): Html {
  const gone = suggestion?.explanation?.gone;
  if (suggestion && gone !== undefined)
    return html`<p class="suggested">Proposed as gone (410): ${gone}.</p><p class="suggested doubtful"><span class="quiet">The closest is</span> <span class="title">${suggestion.title}</span> <span class="url">${suggestion.url}</span> ${badge(certainty(suggestion), toneOf(suggestion.score))}</p>`;
  if (target === undefined)
    return suggestion === undefined
      ? html`<p class="quiet">Looking for a page… <a href="${chooseHref(visit, path)}">Choose one now</a></p>`
      : html`<p class="quiet">No similar page.</p>`;
  const score = suggestion?.score ?? best_score;
  const title = suggestion && html`<span class="title">${suggestion.title}</span> `;
  const isGuess = (score ?? 0) < DOUBTFUL;
  const lead = isGuess
    ? html`<span class="quiet">No similar page. The closest is</span>`
    : html`<span aria-hidden="true">→</span><span class="unseen">Suggested:</span>`;
  const why =
    suggestion?.explanation && !isGuess && html`<p class="why">Why: ${explainScore(suggestion.explanation)}.</p>`;
  return html`<p class="suggested${isGuess ? ' doubtful' : ''}">${lead} ${title ?? undefined}<span class="url">${suggestion?.url ?? target}</span> ${suggestion ? badge(certainty(suggestion), toneOf(suggestion.score)) : undefined}</p>${why}`;
}

function chooseHref(visit: ProjectVisit, path: string): string {
  const query = new URLSearchParams({ path, back: writeInboxQuery(readInboxQuery(visit.query)) });
  return visit.ownHref(`/inbox/choose?${query.toString()}`);
}

function judgedWrong(row: InboxRow): Html | undefined {
  const { wrong_url: url, wrong_by: by, wrong_at: at } = row;
  if (url === null || by === null || at === null) return undefined;
  return html`<p class="met">${badge('judged wrong', 'bad')} by ${by} on ${time(at)}: <span class="url">${url}</span>${isByRule(row) ? '. The rule leads there until you decide.' : ''}</p>`;
}

/** Whether a rule leads the path to the page that was judged wrong. */
function isByRule({ wrong_url, suggestion }: InboxRow): boolean {
  return wrong_url !== null && suggestion?.explanation?.rule !== undefined;
}

export function toneOf(score: number): Tone {
  return score >= 0.8 ? 'good' : score >= 0.5 ? 'waiting' : 'quiet';
}

function referrer({ referrer, is_own, hits }: ReferrerRow, at: number): Html {
  return html`${at > 0 ? ', ' : ''}<span class="url">${referrer}</span> <span class="quiet">(${is_own === true ? 'your page, ' : ''}${hits}×)</span>`;
}

function decisions(visit: ProjectVisit, row: InboxRow, target: string | undefined): Html {
  const { hash, path, suggestion, best_score, wrong_url } = row;
  const isDoubtful = (suggestion?.score ?? best_score ?? 0) < 0.5 || wrong_url === target;
  const isKept = isByRule(row);
  const decisionButton = (decision: string, key: string, text: string, className: string, to = ''): Html =>
    html`<button class="button small${className}" name="one" value="${decision} ${hash}" data-key="${key}" aria-label="${text} ${path}${to}" aria-keyshortcuts="${key}">${text}</button>`;
  return html`<div class="decide">${
    target !== undefined &&
    html`<input type="hidden" name="target:${hash}" value="${target}">${decisionButton(isKept ? 'keep' : 'accept', 'a', isKept ? 'Keep' : 'Accept', isDoubtful ? '' : ' primary', ` → ${suggestion?.url ?? target}`)}`
  }<a class="button small" data-key="c" aria-keyshortcuts="c" aria-label="Choose a page for ${path}" href="${chooseHref(visit, path)}">Choose…</a>${decisionButton('gone', 'g', 'Gone', suggestion?.explanation?.gone === undefined ? '' : ' primary')}${decisionButton('ignore', 'i', 'Ignore', '')}</div>`;
}
