import { readMissingPaths } from '../../analytics/store/missing-paths.js';
import { invalid } from '../../base/errors.js';
import { previewChanges } from '../../rules/preview/preview-changes.js';
import type { RuleChange } from '../../rules/rule.js';
import type { FoundSuggestion } from '../../search/answer.js';
import { shownScore } from '../../search/ranking/scores/score.js';
import { DEFAULT_THRESHOLD } from '../../search/routes/search-route.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { certainty, explainScore } from '../explain-score.js';
import { badge, empty, form, table } from '../shared/components.js';
import { asEditor, projectPage, type ProjectVisit } from '../shared/console-page.js';
import { pathHref } from '../shared/links.js';
import { DECISIONS, describeDecidedRule, makeChanges, MAX_DECIDED, problemBadges, toChange } from './decide.js';
import type { Decision } from './decide.js';
import { toneOf } from './inbox-row.js';
import { backTo } from './read-inbox.js';
import { MAX_PATIENCE_MS } from './suggestions-ahead.js';

/**
 * The page shows what a decision about several paths would change; a form makes the changes. Among several paths, only
 * answers with at least the default threshold are accepted. Paths that are proposed as gone are listed apart, and the
 * user selects them.
 */
export const inboxPreviewPage = projectPage({
  path: '/p/:project/inbox/preview',
  title: 'Preview',
  role: 'editor',
  show: async (visit) => {
    const fields = visit.fields ? visit.fields.entries() : visit.query;
    const selected = await readChosen(visit, fields);
    const chosen = readDecision(fields) === 'accept' ? await sortAccepted(visit, selected) : selected;
    const left = selected.length - chosen.length;
    const kept =
      left === 0 ? '' : `Left in the inbox, without an answer of ${DEFAULT_THRESHOLD}: ${countOf(left, 'row')}.`;
    if (chosen.length === 0)
      return left > 0 ? empty('Nothing to accept.', kept) : empty('Nothing is selected.', 'Go back to the inbox.');
    const { changes, stored } = await previewChanges(visit.deps, visit.project.project_id, chosen.map(toRuleChange));
    const previewed = changes.map((change, at) => ({ ...(chosen[at] as Chosen), change }));
    const rows = (name: 'row' | 'gone', caption: string): Html | undefined => {
      const listed = previewed.filter(({ isGone }) => isGone === (name === 'gone'));
      if (listed.length === 0) return undefined;
      const intro =
        name === 'gone' &&
        html`<h2>${caption}</h2><p>No page answers these well. Select those that are gone (410); the rest stay.</p>`;
      const list = table(caption, listed, undefined, {
        Path: ({ hash, target, change }) =>
          html`<label class="check"><input type="checkbox" name="${name}" value="${hash}"${name === 'row' && change.problems.length === 0 && html` checked`}><span class="url">${change.path}</span></label><input type="hidden" name="target:${hash}" value="${target ?? ''}">`,
        'Will be': ({ why, best, change: { action, target, replaces } }) =>
          html`${best && html`<span class="title">${best.title}</span> ${badge(certainty(best), toneOf(best.score))}`}<span class="${best ? 'sub ' : ''}url">${describeDecidedRule(action === 'remove' ? null : { action, target })}</span>${why !== undefined && html`<span class="sub">${why}</span>`}${replaces !== null && html`<span class="sub url">currently ${describeDecidedRule(replaces)}</span>`}`,
        [`404s in the last ${stored.days} days`]: ({ decision, change: { path, answers } }) =>
          decision === 'ignore'
            ? html`<span class="quiet">leaves the inbox</span>`
            : html`<a href="${visit.ownHref(pathHref(path))}">${countOf(answers.requests, 'request')}</a>`,
        Check: ({ change }) => problemBadges(change.problems, 'OK'),
      });
      return html`${intro}${list}`;
    };
    const post = form(visit, visit.ownPath('/inbox/preview/apply'), 'preview');
    return html`<p>Nothing has changed yet. Rows with a problem are not selected. The requests are those that each rule would have answered. ${kept}</p>${post`<input type="hidden" name="do" value="${readDecision(fields)}"><input type="hidden" name="back" value="${fields.get('back') ?? ''}">${rows('row', 'What would change')}${rows('gone', 'Proposed as gone')}
<p class="actions"><button class="button primary">Apply changes</button><a class="button" href="${visit.ownHref('/inbox')}">Cancel</a></p>`}`;
  },
  actions: {
    apply: asEditor(async (visit, fields) => {
      const chosen = await readChosen(visit, fields.entries());
      if (chosen.length === 0) throw invalid('row', 'Select at least one path.');
      return { to: backTo(visit, fields.get('back')), text: await makeChanges(visit, chosen.map(toRuleChange)) };
    }),
  },
});

interface Chosen {
  hash: string;
  path: string;
  decision: Decision;
  target: string | undefined;
  /** The path is proposed as gone. */
  isGone: boolean;
  /** The reason for what is proposed. */
  why?: string | undefined;
  /** The page that is accepted. */
  best?: FoundSuggestion;
}

const toRuleChange = ({ decision, path, target }: Chosen): RuleChange => toChange(decision, path, target);

const readDecision = (fields: URLSearchParams): Decision =>
  DECISIONS.find((name) => name === fields.get('do')) ?? 'ignore';

/** Reads the rows of a form: those with the decision of the form, and those that the user selected as gone. */
async function readChosen({ deps, project }: ProjectVisit, fields: URLSearchParams): Promise<Chosen[]> {
  const rows = fields.getAll('row').map((hash) => ({ hash, decision: readDecision(fields) }));
  const gone = fields.getAll('gone').map((hash) => ({ hash, decision: 'gone' as const }));
  const valid = [...rows, ...gone].filter(({ hash }) => /^[0-9a-f]{64}$/.test(hash)).slice(0, MAX_DECIDED);
  const hashes = valid.map(({ hash }) => hash);
  const paths = await readMissingPaths(deps.db, project.project_id, hashes);
  return valid.flatMap(({ hash, decision }) => {
    const path = paths.get(hash);
    const target = fields.get(`target:${hash}`) ?? undefined;
    return path === undefined ? [] : [{ hash, path, decision, target, isGone: false }];
  });
}

/** Looks up the best pages again, so that no doubtful page is accepted among many, whatever the form contains. */
async function sortAccepted({ deps, project }: ProjectVisit, chosen: readonly Chosen[]): Promise<Chosen[]> {
  const paths = chosen.map(({ path }) => path);
  const suggestions = await deps.suggestionsAhead.suggest(project.project_id, paths, MAX_PATIENCE_MS);
  return chosen.flatMap((row, at): Chosen[] => {
    const best = suggestions[at];
    const { explanation } = best ?? {};
    if (explanation?.gone !== undefined) return [{ ...row, decision: 'gone', isGone: true, why: explanation.gone }];
    if (!best || shownScore(best.score) < DEFAULT_THRESHOLD) return [];
    return [{ ...row, target: best.href, best, why: explanation && `Why: ${explainScore(explanation)}.` }];
  });
}
