import {
  findMissingPath,
  selectDaysOfPath,
  selectDecisions,
  selectPagesShown,
  type MissingPath,
} from '../../analytics/store/missing-path.js';
import { selectReferrers } from '../../analytics/store/missing-paths.js';
import { OUTCOMES } from '../../analytics/store/recovery.js';
import { RuleMatcher } from '../../rules/preview/rule-matcher.js';
import { findRules } from '../../rules/preview/try-rules.js';
import { listProposals } from '../../rules/proposals/proposals.js';
import { listBrokenLinks } from '../../sync/store/broken-links.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html, type HtmlValue } from '../../text/html.js';
import { empty, facts, table, time } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { scoreText } from '../shared/numbers.js';
import { lastDays, OUTCOME_NAMES, recoveryChart } from '../shared/recovery-chart.js';
import { literally } from '../../rules/proposals/redirect-sheet.js';
import { sourceOf } from '../../rules/rule.js';
import { describeDecidedRule } from './decide.js';

const DAYS = 30;
const SHOWN = 20;
/** With other query strings; each has 20 pages at most. */
const LINKS = 5;
const MAX_PATH = 2_048;
const MAX_PROPOSALS = 200;

/** A path, as a link to its page. */
export function pathLink({ ownHref }: ProjectVisit, path: string): Html {
  return html`<a class="url" href="${ownHref(`/inbox/path?${new URLSearchParams({ path }).toString()}`)}">${path}</a>`;
}

/** All that is known of one missing path. */
export const missingPathPage = projectPage({
  path: '/p/:project/inbox/path',
  show: async (visit): Promise<View> => {
    const { deps, project, tenant } = visit;
    const path = (visit.query.get('path') ?? '').split(/[?#]/, 1)[0]?.slice(0, MAX_PATH).toWellFormed() ?? '';
    const title = 'Missing path';
    if (!path.startsWith('/')) return { title, content: empty('This is not a path.', 'A path begins with a slash.') };
    const days = lastDays(deps.clock.now(), DAYS);
    const [met, byDay, shown, links, [rule], { proposals }] = await Promise.all([
      findMissingPath(tenant, path),
      selectDaysOfPath(tenant, path, days),
      selectPagesShown(deps.db, project.project_id, path, SHOWN),
      listBrokenLinks(tenant.db, project.project_id, { path }, LINKS),
      findRules(deps, project.project_id, [path]),
      listProposals(deps, project.project_id, { limit: MAX_PROPOSALS }),
    ]);
    const written = [path, literally(path), ...(rule ? [rule.path] : [])];
    const [referrers, decided] = await Promise.all([
      selectReferrers(deps.db, project.project_id, met ? [met.hash] : [], SHOWN),
      selectDecisions(tenant, written, SHOWN),
    ]);
    const proposed = proposals.map((one) => ({ ...one, key: one.path, action: 'redirect' as const, host: null }));
    const proposal = new RuleMatcher(proposed).find(path);
    return {
      title,
      content: html`<p class="path url">${path}</p>${actions(visit, path)}
${facts([
  ['Rule', rule ? html`<span class="url">${sourceOf(rule)}: ${describeDecidedRule(rule)}</span>` : 'none'],
  [
    'Proposed rule',
    proposal
      ? html`<a class="url" href="${visit.ownHref('/redirects/proposals')}">${proposal.path}: to ${proposal.target}</a>`
      : 'none',
  ],
  ...(met
    ? ([
        ['Requested', `by ${countOf(met.people, 'person', 'people')}, and ${countOf(met.robots, 'time')} by robots`],
        ['Outcome', became(met)],
        ['First seen', time(met.first_seen)],
        ['Last seen', time(met.last_seen)],
      ] as const)
    : [['Requested', 'not within the stored 404s'] as const]),
])}
${byDay.length > 0 ? html`<h2>Last ${DAYS} days</h2>${recoveryChart(byDay, days)}` : undefined}
<h2>Suggested pages</h2><p class="explained">How often recent searches for this path suggested each page, and how often people ever clicked it.</p>${table(
        'Suggested pages',
        ['Page', 'Shown', 'Best position', 'Last score', 'Clicked', 'Last shown'],
        shown.map((one) => [
          html`<a class="url" href="${visit.ownHref(`/pages/${one.page_id}`)}">${one.url}</a>`,
          one.shown,
          one.place ?? undefined,
          one.score === null ? undefined : scoreText(one.score),
          one.clicks,
          time(one.last_shown),
        ]),
        html`<p class="quiet">No page was suggested lately. “Try it” shows what would be.</p>`,
      )}
<h2>Links to this path</h2><p class="explained">Pages on which the last crawl found the link, and pages that visitors came from.</p>${table(
        'Pages that link to it',
        ['Page', 'Found by', 'Visitors'],
        [
          ...links.flatMap(({ pages, answer, checked_at, page_count: all }) =>
            pages.map((url, at): HtmlValue[] => [
              linked(url, at === 0 && all > pages.length ? `one of ${amount(all)} pages` : ''),
              html`crawl: ${answer}<span class="sub">${time(checked_at)}</span>`,
              undefined,
            ]),
          ),
          ...referrers.map(({ referrer, own, hits }): HtmlValue[] => [
            linked(referrer, own === true ? 'your page' : ''),
            'visitors',
            hits,
          ]),
        ],
        html`<p class="quiet">No known page links to it.</p>`,
      )}
<h2>Decisions</h2>${table(
        'Rule changes',
        ['When', 'Who', 'What', 'Before'],
        decided.map(({ changed_at, changed_by, before, after, kind }) => [
          time(changed_at),
          html`${changed_by}${kind === 'undo' ? html`<span class="sub">undo</span>` : undefined}`,
          html`<span class="url">${describeDecidedRule(after)}</span>`,
          html`<span class="url">${describeDecidedRule(before)}</span>`,
        ]),
        html`<p class="quiet">No recent decisions.</p>`,
      )}`,
    };
  },
});

function actions(visit: ProjectVisit, path: string): Html {
  const link = (to: string, query: Record<string, string>, text: string): Html =>
    html`<a class="button" href="${visit.ownHref(`${to}?${new URLSearchParams(query).toString()}`)}">${text}</a> `;
  return html`<p class="actions">${
    visit.may('editor')
      ? html`${link('/inbox/choose', { path }, 'Choose a page…')}${link('/redirects/edit', { path: literally(path) }, 'Add a rule…')}`
      : undefined
  }${link('/try', { input: path }, 'Try it')}</p>`;
}

function became(met: MissingPath): string {
  const parts = OUTCOMES.flatMap((one) => (met[one] > 0 ? `${OUTCOME_NAMES[one]}: ${amount(met[one])}` : []));
  return parts.join('; ') || 'unknown';
}

function linked(url: string, note: string): Html {
  return html`<span class="url">${url}</span>${note === '' ? undefined : html`<span class="sub">${note}</span>`}`;
}
