import { invalid } from '../../base/errors.js';
import { goneShift } from '../../rules/learned/gone-share.js';
import { readGoneEvidence } from '../../rules/store/gone-share.js';
import { judgeGuess, takeJudgementBack } from '../../search/judge-guess.js';
import { AIM, MIN_JUDGED, proposeThreshold, shareRightAbove } from '../../search/ranking/scores/judged-share.js';
import { sampleGuesses, selectJudgedScores, type Guess } from '../../search/store/judgements.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { isUuid } from '../../text/uuid.js';
import { makeTitle } from '../../text/paths/sanitize-path.js';
import { badge, button, empty, form } from '../shared/components.js';
import { asEditor, projectPage, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { pathLink } from '../shared/links.js';
import { percent, scoreText } from '../shared/numbers.js';
import { inboxTabs, toneOf } from './inbox-row.js';

const SHOWN = 20;

/** The buttons, with what each stores. */
const VERDICTS = { right: true, wrong: false, skip: null } as const;
const SAID = { right: 'Right', wrong: 'Wrong', skip: 'Skipped' } as const;

/** A sample of redirects, most of them guesses: a person judges whether each is right. */
export const inboxJudgePage = projectPage({
  path: '/p/:project/inbox/judge',
  title: 'Judge redirects',
  show: async (visit) => {
    const { deps, project } = visit;
    const guesses = await sampleGuesses(deps.db, project.project_id, SHOWN);
    const rows = html`<ol class="inbox">${guesses.map((guess) => row(visit, guess))}</ol>`;
    const isEditor = visit.may('editor');
    return {
      script: 'inbox.js',
      content: html`${inboxTabs(visit, '/judge')}<p>Are these redirects right? Each is for a path that people asked for in the last four weeks. Most are guesses; some are by a rule, or learned.</p>
${await figures(visit)}${isEditor && html`<div class="undo"><span class="url">Your last judgement</span>${button(visit, visit.ownPath('/inbox/judge/undo'), 'Take back', { className: 'button small' })}</div>`}${
        guesses.length === 0
          ? empty('There is no redirect to judge.', 'Those with a score from 0.7 appear here once visitors miss pages.')
          : isEditor
            ? html`<details class="keys" open><summary>Keyboard shortcuts <span class="quiet">(? shows or hides them)</span></summary><p>For the highlighted path: <kbd>r</kbd> right, <kbd>w</kbd> wrong, <kbd>s</kbd> skip. Then the next path is highlighted. <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>z</kbd> take back</p></details>
<p class="said" role="status"></p>${form(visit, visit.ownPath('/inbox/judge/judge'), 'deciding')`${rows}`}`
            : rows
      }`,
    };
  },
  actions: { judge: asEditor(judge), undo: asEditor(takeBack) },
});

/** The share of guesses, not rules, that was judged right, the threshold from it, and whether many paths are gone. */
async function figures({ deps, project, ownHref }: ProjectVisit): Promise<Html> {
  const judged = await selectJudgedScores(deps.db, project.project_id);
  const { right, of, low, high } = shareRightAbove(judged, project.redirect_above);
  const proposed = proposeThreshold(judged);
  const proposal =
    judged.length < MIN_JUDGED
      ? `Too few to propose a threshold: ${judged.length} of ${MIN_JUDGED} are judged.`
      : proposed === undefined
        ? `No threshold is proposed yet: above none is the share right at least ${percent(AIM)} for sure. It takes 35 judgements without an error.`
        : html`Proposed threshold: <strong>${proposed.toFixed(2)}</strong>. It is the lowest above which at least ${percent(AIM)} are right for sure. <a href="${ownHref('/settings')}">Change it in the settings</a>`;
  const { gone, accepted, share } = await readGoneEvidence(deps.db, project.project_id);
  return html`<p class="judged"><strong>${right} of ${of} right above ${project.redirect_above}</strong>${of === 0 ? '' : `, with 95% certainty between ${percent(low)} and ${percent(high)}`}. ${proposal} ${goneShift(share) < 0 ? `Of ${countOf(gone + accepted, 'decision')}, ${amount(gone)} were gone: guesses are weighed more carefully.` : ''}</p>`;
}

function row(visit: ProjectVisit, guess: Guess): Html {
  const { search_id: search, path, score, url, title, beginning, by, redirects, again } = guess;
  const id = `row-${search}`;
  const choice = (verdict: keyof typeof VERDICTS, text: string): Html =>
    html`<button class="button small" name="one" value="${verdict} ${search}" data-key="${verdict.charAt(0)}" aria-label="${text} ${path} → ${url}" aria-keyshortcuts="${verdict.charAt(0)}">${text}</button>`;
  return html`<li class="missing" tabindex="-1" aria-labelledby="${id}"><div class="about"><p class="path url" id="${id}">${pathLink(visit, path)}</p>
<p class="suggested"><span aria-hidden="true">→</span> <span class="title">${title ?? makeTitle(url)}</span> <span class="url">${url}</span> ${badge(`score ${scoreText(score)}`, toneOf(score))}${by !== null && html` ${badge(by === 'rule' ? 'by a rule' : by, 'quiet')}`}</p>
${again ? html`<p class="met">${badge('asked again', 'waiting')} within a minute: ${again} of ${redirects ?? again}. Visitors are told apart by network and browser, so behind one proxy two may count as one.</p>` : undefined}
<p class="why">${beginning}</p></div>
${visit.may('editor') && html`<div class="decide">${choice('right', 'Right')}${choice('wrong', 'Wrong')}${choice('skip', 'Skip')}</div>`}</li>
`;
}

async function judge({ deps, project, user }: ProjectVisit, fields: Form): Promise<string> {
  const [name, searchId = ''] = (fields.get('one') ?? '').split(' ');
  const verdict = (Object.keys(VERDICTS) as (keyof typeof VERDICTS)[]).find((known) => known === name);
  if (verdict === undefined || !isUuid(searchId)) throw invalid('one', 'Choose right, wrong or skip.');
  const isRight = VERDICTS[verdict];
  const path = await judgeGuess(deps, project.project_id, { searchId, isRight, by: user.email });
  if (path === undefined) throw invalid('one', 'This guess is no longer kept. Reload the page.');
  return `${SAID[verdict]}: ${path.slice(0, 200)}`;
}

async function takeBack({ deps, project, user }: ProjectVisit): Promise<string> {
  const path = await takeJudgementBack(deps, project.project_id, user.email);
  return path === undefined ? 'You have no judgement to take back.' : `Taken back: ${path.slice(0, 200)}`;
}
