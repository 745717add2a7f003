import {
  findMissingPath,
  selectDecisions,
  selectOutcomesByDay,
  selectPagesShown,
} from '../../analytics/store/missing-path.js';
import type { MissingPath } from '../../analytics/store/missing-path.js';
import { selectReferrers } from '../../analytics/store/missing-paths.js';
import { OUTCOMES } from '../../analytics/store/not-founds.js';
import { matchProposed } from '../../rules/preview/rule-matcher.js';
import { findRules } from '../../rules/preview/try-rules.js';
import { listProposals } from '../../rules/proposals/proposals.js';
import { listBrokenLinks } from '../../sync/store/broken-links.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html, type HtmlValue } from '../../text/html.js';
import { empty, facts, table, time } from '../shared/components.js';
import { projectPage, type ProjectVisit } from '../shared/console-page.js';
import { scoreText } from '../shared/numbers.js';
import { hrefsOf, rangeForm, readShownRange } from '../shared/range.js';
import { OUTCOME_NAMES } from '../shared/chart.js';
import { outcomes, outcomesPicture } from '../analytics/not-founds-page.js';
import { report, showReports } from '../analytics/report.js';
import { literally } from '../../rules/proposals/redirect-sheet.js';
import { sourceOf } from '../../rules/rule.js';
import { describeDecidedRule } from './decide.js';

const SHOWN = 20;
/** So many broken links to the path are shown, which differ in their query strings. Each has 20 pages at most. */
const LINKS = 5;
const MAX_PATH = 2_048;
const MAX_PROPOSALS = 200;

const days = report({
  id: 'days',
  title: 'Requests by day',
  about: 'Requests by people for this path, by outcome.',
  none: 'No person requested this path in this period.',
  query: (visit, period) => selectOutcomesByDay(visit.tenant, readPath(visit), period),
  sums: { Requests: ['hits'], Recovered: ['redirected', 'clicked'] },
  columns: [{ name: 'Day (UTC)', value: ({ of }) => of }, { name: 'Requests', value: ({ hits }) => hits }, ...outcomes],
  picture: outcomesPicture,
  isPictureAlone: true,
});

function readPath({ query }: ProjectVisit): string {
  return (query.get('path') ?? '').split(/[?#]/, 1)[0]?.slice(0, MAX_PATH).toWellFormed() ?? '';
}

/** The page shows all that is known about one missing path. */
export const missingPathPage = projectPage({
  path: '/p/:project/inbox/path',
  title: 'Missing path',
  show: async (unread) => {
    const { visit, range } = readShownRange(unread);
    const { deps, project, tenant } = visit;
    const path = readPath(visit);
    if (!path.startsWith('/')) return empty('This is not a path.', 'A path begins with a slash.');
    const hrefOf = hrefsOf(visit.ownHref('/inbox/path'), { path });
    const { raw, sections } = await showReports(visit, range, [days], (more) => hrefOf(range, more));
    if (raw) return { content: html``, raw };
    const [met, shown, links, [rule], { proposals }] = await Promise.all([
      findMissingPath(tenant, path),
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
    const linking: readonly { url: string; note: string; by: HtmlValue; hits?: number }[] = [
      ...links.flatMap(({ pages, answer, checked_at, page_count: all }) =>
        pages.map((url, at) => ({
          url,
          note: at === 0 && all > pages.length ? `one of ${amount(all)} pages` : '',
          by: html`crawl: ${answer}<span class="sub">${time(checked_at)}</span>`,
        })),
      ),
      ...referrers.map(({ referrer: url, is_own, hits }) => ({
        url,
        note: is_own === true ? 'your page' : '',
        by: 'visitors',
        hits,
      })),
    ];
    const proposed = proposals.map((draft) => ({ ...draft, key: draft.path, action: 'redirect' as const, host: null }));
    const proposal = await (await matchProposed(proposed)).find(path);
    const noPage = html`<p class="quiet">No page was suggested lately. “Try it” shows what would be.</p>`;
    const suggestedPages = table('Suggested pages', shown, noPage, {
      Page: (page) => html`<a class="url" href="${visit.ownHref(`/pages/${page.page_id}`)}">${page.url}</a>`,
      Shown: (page) => page.shown,
      'Best position': (page) => page.place ?? undefined,
      'Last score': (page) => page.score !== null && scoreText(page.score),
      Clicked: (page) => page.clicks,
      'Last shown': (page) => time(page.last_shown),
    });
    const noLink = html`<p class="quiet">No known page links to it.</p>`;
    const linkingPages = table('Pages that link to it', linking, noLink, {
      Page: ({ url, note }) =>
        html`<span class="url">${url}</span>${note !== '' && html`<span class="sub">${note}</span>`}`,
      'Found by': ({ by }) => by,
      Visitors: ({ hits }) => hits,
    });
    return html`<p class="path url">${path}</p>${actions(visit, path)}
${facts({
  Rule: rule ? html`<span class="url">${sourceOf(rule)}: ${describeDecidedRule(rule)}</span>` : 'none',
  'Proposed rule': proposal
    ? html`<a class="url" href="${visit.ownHref('/redirects/proposals')}">${proposal.path}: to ${proposal.target ?? ''}</a>`
    : 'none',
  Requested: met
    ? `${countOf(met.people, 'time')} by people, and ${countOf(met.robots, 'time')} by robots, within the stored 404s`
    : 'not within the stored 404s',
  Outcome: met && became(met),
  'First seen': met && time(met.first_seen),
  'Last seen': met && time(met.last_seen),
})}
${rangeForm(visit, range, visit.ownHref('/inbox/path'), hrefOf, html`<input type="hidden" name="path" value="${path}">`)}${sections}
<h2>Suggested pages</h2><p class="explained">How often recent searches for this path suggested each page, the best of its positions and its latest score, and how often people ever clicked it.</p>${suggestedPages}
<h2>Links to this path</h2><p class="explained">Pages on which the last crawl found the link, and pages that visitors came from, with their stored visits.</p>${linkingPages}
<h2>Decisions</h2>${table('Rule changes', decided, html`<p class="quiet">No recent decisions.</p>`, {
      When: ({ changed_at }) => time(changed_at),
      Who: ({ changed_by, kind }) => html`${changed_by}${kind === 'undo' && html`<span class="sub">undo</span>`}`,
      What: ({ after }) => html`<span class="url">${describeDecidedRule(after)}</span>`,
      Before: ({ before }) => html`<span class="url">${describeDecidedRule(before)}</span>`,
    })}`;
  },
});

function actions(visit: ProjectVisit, path: string): Html {
  const link = (to: string, query: Record<string, string>, text: string): Html =>
    html`<a class="button" href="${visit.ownHref(`${to}?${new URLSearchParams(query).toString()}`)}">${text}</a> `;
  return html`<p class="actions">${
    visit.may('editor') &&
    html`${link('/inbox/choose', { path }, 'Choose a page…')}${link('/redirects/edit', { path: literally(path) }, 'Add a rule…')}`
  }${link('/try', { input: path }, 'Try it')}</p>`;
}

function became(met: MissingPath): string {
  const parts = OUTCOMES.flatMap((kind) => (met[kind] > 0 ? `${OUTCOME_NAMES[kind]}: ${amount(met[kind])}` : []));
  return parts.join('; ') || 'unknown';
}
