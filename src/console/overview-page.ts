import { query } from '../platform/database/sql.js';
import { readModelState } from '../pages/indexing/model-state.js';
import { selectLatency } from '../analytics/store/searches.js';
import { readPace } from '../pages/indexing/pace.js';
import { readIndexState } from '../pages/store/page-counts.js';
import {
  NO_RECOVERY,
  selectProjectsAtWork,
  selectRecovery,
  type Recovery,
} from '../analytics/store/projects-overview.js';
import { dayOf, lastDays, type Range } from '../analytics/range.js';
import { findLastNotFound, selectRecoveryDays } from '../analytics/store/not-founds.js';
import { findDeadRedirects } from '../rules/preview/check-rules.js';
import { listSyncRuns } from '../sync/store/sync-runs.js';
import { listProposals } from '../rules/proposals/proposals.js';
import { html, type Html } from '../text/html.js';
import { amount, countOf } from '../text/count-of.js';
import { percent } from './shared/numbers.js';
import { empty, facts, time } from './shared/components.js';
import { projectPage, type ProjectVisit } from './shared/console-page.js';
import { ago, healthBadge } from './shared/status.js';
import { countUnresolved, countUpTo, MAX_COUNTED } from './inbox/read-inbox.js';
import { hrefsOf, rangeForm, readShownRange } from './shared/range.js';
import { recoveryChart } from './shared/chart.js';

/** The number of days whose search latency the overview shows. */
const SPEED_DAYS = 7;

/** The page shows what is broken, what was recovered, and what needs doing. */
export const overviewPage = projectPage({
  path: '/p/:project',
  nav: 'Overview',
  show: async (unread) => {
    const { visit, range } = readShownRange(unread);
    const { deps, project, tenant } = visit;
    const now = deps.clock.now();
    const { project_id } = project;
    const speedDays = { from: lastDays(now, SPEED_DAYS)[0] ?? '', to: dayOf(now) };
    const [rows, [sums = NO_RECOVERY], pages, last, [work], kinds, [sync]] = await Promise.all([
      selectRecoveryDays(deps.db, [project_id], range),
      selectRecovery(deps.db, [project_id], range),
      readIndexState(tenant.db, project_id),
      findLastNotFound(deps.db, project_id),
      selectProjectsAtWork(deps.db, [project_id]),
      query(selectLatency(tenant, speedDays, 'kind')).rows(tenant.db),
      listSyncRuns(tenant.db, project_id, 1),
    ]);
    const waits = await whatWaits(visit, pages.failed, work?.alerts ?? 0);
    const suggest = kinds.find(({ of }) => of === 'suggest');
    const pace = await readPace(tenant.db, project_id, pages.waiting);
    const isEmpty = pages.searchable + pages.waiting + pages.failed === 0;
    const link = (to: string, text: string): Html => html`<a href="${visit.ownHref(to)}">${text}</a>`;
    const pageCounts = html`${link('/pages', `${amount(pages.searchable)} found`)}, ${pages.understood < pages.searchable ? `${amount(pages.understood)} understood, ` : ''}${link('/pages?status=PENDING_VECTORIZATION', `${amount(pages.waiting)} waiting`)}${pace && ` (${pace})`}, ${link('/pages?status=ERROR', `${amount(pages.failed)} failed`)}`;
    const clickless = kinds.some(({ of }) => of === 'not-found') && !rows.some(({ outcome }) => outcome === 'clicked');
    return html`${rangeForm(visit, range, visit.ownHref(''), hrefsOf(visit.ownHref('')))}${figures(visit, range, sums)}${clickless && html`<p class="explained">Clicks are not counted here unless your server has ${link('/connect#key', 'the lines for them')}.</p>`}
<h2>To do</h2>${
      waits.length === 0
        ? html`<p class="quiet">Nothing to do.</p>`
        : html`<ul class="todo">${waits.map(({ to, what, why }) => html`<li><a href="${visit.ownHref(to)}">${what}</a> <span class="quiet">${why}</span></li>`)}</ul>`
    }
<h2>${range.from} to ${range.to}</h2>${last === null ? noTraffic(visit, isEmpty) : recoveryChart(rows, range)}
<h2>Health</h2>${facts({
      State: healthBadge({ plan: project.plan, waiting_since: work?.waiting_since ?? null, isEmpty }, now),
      Pages: pageCounts,
      'Oldest waiting page': work?.waiting_since
        ? html`${time(work.waiting_since)}, ${ago(work.waiting_since, now)} ago`
        : 'none',
      'Suggest latency': suggest
        ? link(
            `/analytics/usage?days=${SPEED_DAYS}`,
            `95% within ${amount(suggest.p95, suggest.p95 < 10 ? 1 : 0)} ms (${countOf(suggest.searches, 'search', 'searches')} in ${SPEED_DAYS} days)`,
          )
        : `no searches in ${SPEED_DAYS} days`,
      'Latest sync': sync
        ? html`<a href="${visit.href(`/p/${project_id}/pages/syncs/${sync.run_id}`)}">${sync.source}</a> ${time(sync.began_at)}`
        : 'none: pages are pushed through the API',
      'Latest 404': time(last),
      Plan: project.plan ?? 'none: searches are refused',
    })}`;
  },
});

function figures({ ownHref }: ProjectVisit, { from, to, days }: Range, sums: Recovery): Html {
  const { hits, before, recovered, recovered_before: earlier } = sums;
  const count = countOf(days.length, 'day');
  const figure = (name: string, value: string, sub: string): Html =>
    html`<div><dt>${name}</dt><dd><a class="big" href="${ownHref(`/analytics?from=${from}&to=${to}#outcomes`)}">${value}</a><span class="sub">${sub}</span></dd></div>`;
  return html`<dl class="figures">${figure(`404s from people in ${count}`, amount(hits), `${amount(before)} in the previous ${count}`)}${figure('Recovery rate', percent(recovered, hits), `redirected, or clicked a suggestion${before === 0 ? '' : `; ${percent(earlier, before)} in the previous ${count}`}`)}${figure('Recovered 404s', amount(recovered), `${amount(earlier)} in the previous ${count}`)}</dl>`;
}

function noTraffic({ ownHref }: ProjectVisit, isEmpty: boolean): Html {
  const connect = html`<a href="${ownHref('/connect')}">Connect the site</a>: its pages first, then its server.`;
  if (isEmpty) return empty('No pages yet.', connect);
  return empty(
    'No 404s from people yet.',
    html`<a href="${ownHref('/connect#key')}">Connect your server</a>, or send <code>POST /v1/events</code> with
<code>{"raw_path": "/the/missing/path"}</code>.`,
  );
}

async function whatWaits({ deps, project, tenant }: ProjectVisit, errors: number, alerts: number) {
  const { project_id } = project;
  const [inbox, { proposals }, dead, model] = await Promise.all([
    countUnresolved(deps, project_id),
    listProposals(deps, project_id, { limit: MAX_COUNTED }),
    findDeadRedirects(tenant, MAX_COUNTED),
    readModelState(deps.db, project_id),
  ]);
  const all = [
    { count: alerts, to: '/watch', what: countUpTo(alerts, 'alert'), why: 'open: something got worse' },
    { ...inbox, to: '/inbox', why: inbox.count === 1 ? 'needs a decision' : 'need a decision' },
    {
      count: proposals.length,
      to: '/redirects/proposals',
      what: countUpTo(proposals.length, 'proposal'),
      why: proposals.length === 1 ? 'waits for your confirmation' : 'wait for your confirmation',
    },
    {
      count: dead.length,
      to: '/redirects/check?only=dead',
      what: countUpTo(dead.length, 'redirect'),
      why: 'to a missing page',
    },
    { count: errors, to: '/pages?status=ERROR', what: countUpTo(errors, 'page', false), why: 'could not be indexed' },
    { count: model?.change ? 1 : 0, to: '/settings', what: 'Model change', why: 'in progress' },
  ];
  return all.filter(({ count }) => count > 0);
}
