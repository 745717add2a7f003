import type { LintNote } from '../../rule-formats/lint-redirects.js';
import { CHECKED_RULES, checkRules, findDeadRedirects, SAMPLED_PAGES } from '../../rules/preview/check-rules.js';
import { tryRules, type RuleTestResult } from '../../rules/preview/try-rules.js';
import { readSource } from '../../sync/project-source.js';
import { html, type Html } from '../../text/html.js';
import { amount, countOf } from '../../text/count-of.js';
import { parseUrl } from '../../text/page-url.js';
import { badge, empty, table } from '../shared/components.js';
import { hrefsOf, rangeForm, readShownRange } from '../shared/range.js';
import { report, showReports, type Report } from '../analytics/report.js';
import { timeOf, type Days } from '../../analytics/range.js';
import { percent } from '../shared/numbers.js';
import { describeDecidedRule } from '../inbox/decide.js';
import { projectPage, type ProjectVisit } from '../shared/console-page.js';
import { redirectsNav } from './redirects-page.js';
import { pager, ruleHref } from '../shared/links.js';

const SHOWN = 200;
const MAX_PATH = 4_096;
/** The words for each kind of problem with a rule, or of change that an export made to it. */
export const MEANINGS: Readonly<Record<LintNote['kind'], string>> = {
  chain: 'leads to another redirect',
  loop: 'leads back to itself',
  'dead target': 'target page is missing',
  'live source': 'is a live page',
  duplicate: 'is a duplicate',
  'no path': 'can never match',
  'shadows pages': 'hides pages',
  'several hosts': 'names none of several hosts',
  ended: 'has expired',
  'not yet': 'is not active yet',
  'not said': 'is not fully exported',
};

/** The page shows what is wrong with the redirects of a project, a part of them at a time. */
export const redirectCheckPage = projectPage({
  path: '/p/:project/redirects/check',
  title: 'Check redirects',
  show: async (visit) => {
    const { tenant, project, query } = visit;
    const after = query.get('after')?.slice(0, MAX_PATH);
    const key = query.get('key')?.slice(0, 64) ?? '';
    const place = after === undefined ? undefined : { path: after, key };
    if (query.get('only') === 'dead') {
      const dead = await findDeadRedirects(tenant, SHOWN);
      const list = dead.length === 0 ? empty('No redirect leads to a missing page.', '') : problems(visit, dead);
      return html`${redirectsNav(visit, '/check')}${list}<p><a href="${visit.ownHref('/redirects/check')}">Check all rules</a></p>`;
    }
    const { notes, rules, next } = await checkRules(tenant, place);
    const checked = countOf(rules, 'rule');
    const isPart = after !== undefined || next !== undefined;
    const part =
      isPart &&
      html`<p class="explained">Rules are checked by path, ${CHECKED_RULES} at a time${after !== undefined && html`: these follow <span class="url">${after}</span>`}. To check all at once, run <code>node dist/cli.js redirects export --project ${quoted(project.name)} --format json</code>: it lists problems on stderr.</p>`;
    return html`${redirectsNav(visit, '/check')}${part}${
      notes.length === 0
        ? empty('No problems found.', `${checked} checked for chains, loops, missing targets and hidden pages.`)
        : html`<p>${countOf(notes.length, 'problem')} in <a href="${visit.ownHref('/redirects')}">${checked}</a>.${notes.length > SHOWN ? ` The first ${SHOWN} are shown.` : ''}</p>${problems(visit, notes)}`
    }${next && pager(visit.ownHref(`/redirects/check?${new URLSearchParams({ after: next.path, key: next.key }).toString()}`), `Check next ${CHECKED_RULES}`)}<p class="quiet">Pages hidden by a wildcard are searched for among ${amount(SAMPLED_PAGES)} pages at most. ${await howToVerify(visit)}</p>`;
  },
});

/** A project's name for a shell, with quotes if it needs them. */
const quoted = (name: string): string => (/^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

/** Shows the command that requests each rule's path from the live site. */
export async function howToVerify({ deps, project }: ProjectVisit): Promise<Html> {
  const source = await readSource(deps.db, project.project_id);
  const site = parseUrl(source?.base ?? source?.source ?? '')?.origin ?? 'https://www.example.com';
  return html`To check every rule on the live site, run <code>node dist/cli.js redirects verify --project ${quoted(project.name)} --site ${site}</code>.`;
}

function problems(visit: ProjectVisit, notes: readonly LintNote[]): Html {
  return table('Redirect problems', notes.slice(0, SHOWN), undefined, {
    Path: ({ path }) => html`<span class="url">${path}</span>`,
    Problem: ({ kind }) => badge(MEANINGS[kind], 'bad'),
    Detail: ({ detail }) => html`<span class="url">${detail}</span>`,
    '': ({ path }) => html`<a href="${visit.ownHref(ruleHref(path))}" aria-label="Show the rule of ${path}">Show</a>`,
  });
}

/** The page shows how the present rules would answer the 404s that are stored. It changes nothing. */
export const redirectDryRunPage = projectPage({
  path: '/p/:project/redirects/dry-run',
  title: 'Dry run',
  show: async (unread) => {
    const { visit, range } = readShownRange(unread);
    const { deps, project } = visit;
    const here = visit.ownHref('/redirects/dry-run');
    const hrefOf = hrefsOf(here);
    const tried = await tryRules(deps, project.project_id, { range: timeOf(range) });
    const { raw, sections } = await showReports(visit, range, results(tried), (more) => hrefOf(range, more));
    if (raw) return { content: html``, raw };
    return html`${redirectsNav(visit, '/dry-run')}${rangeForm(visit, range, here, hrefOf)}${
      tried.stored.requests === 0
        ? empty('No 404s to test.', 'Choose other days, or wait for traffic.')
        : html`${sumUp(visit, range, tried)}${sections}`
    }`;
  },
});

function sumUp(visit: ProjectVisit, { from, to }: Days, { stored, answered }: RuleTestResult): Html {
  const all = html`<a href="${visit.ownHref(`/analytics?from=${from}&to=${to}#outcomes`)}">${countOf(stored.requests, '404')}</a>`;
  return html`<p><strong>${percent(answered.requests, stored.requests)}</strong> of ${all} would match a current rule: ${countOf(answered.requests, 'request')} to ${answered.paths} of ${countOf(stored.paths, 'path')}.${stored.cut ? ' Only the most frequent paths were tested.' : ''} The others are answered by search.</p>`;
}

function results({ rules, rows }: RuleTestResult): Report[] {
  const byRule = report({
    id: 'rules',
    title: 'Matching rules, by requests',
    about:
      'How many stored missing paths each rule would have answered, and the requests of people and robots for them.',
    none: 'No rule matches.',
    read: (_visit, _period, limit) => rules.slice(0, limit),
    columns: [
      { name: 'Rule', value: ({ path }) => path, as: 'url', to: ({ path }) => ruleHref(path) },
      { name: 'Action', value: ({ action, target }) => describeDecidedRule({ action, target }), as: 'url' },
      { name: 'Paths', value: ({ paths }) => paths },
      { name: 'Requests', value: ({ requests }) => requests },
    ],
  });
  const byPath = report({
    id: 'paths',
    title: 'Matching paths, by requests',
    about: 'The paths that a rule would have answered, as they were requested, and where it leads.',
    none: 'No path matches.',
    read: (_visit, _period, limit) => rows.slice(0, limit),
    columns: [
      { name: 'Path', value: ({ path }) => path, as: 'path' },
      { name: 'Requests', value: ({ requests }) => requests },
      { name: 'Target', value: ({ action, to }) => to ?? (action === 'ignore' ? 'ignored' : 'gone (410)'), as: 'url' },
      { name: 'Rule', value: ({ rule }) => rule, as: 'url' },
    ],
  });
  return [byRule, byPath];
}
