import { ApiError } from '../../base/errors.js';
import { RULE_ACTIONS, type RuleAction, type RuleKind } from '../../base/glossary.js';
import { listRules } from '../../rules/list-rules.js';
import { previewChanges, type PreviewedChange } from '../../rules/preview/preview-changes.js';
import type { Rule, RuleChange } from '../../rules/rule.js';
import { html, type Html } from '../../text/html.js';
import { amount, countOf } from '../../text/count-of.js';
import { badge, button, empty, facts, field, form, pager, select, table, tabs, time } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { pathLink } from '../inbox/path-page.js';
import { makeChanges, nameField, say } from '../inbox/decide.js';

const SHOWN = 50;
const MAX_SEARCH = 500;
const KINDS: readonly RuleKind[] = ['exact', 'prefix', 'pattern'];
const ORIGINS = {
  import: 'imported',
  sync: 'by a sync',
  person: 'by command',
  console: 'in the console',
  learned: 'a confirmed proposal',
};

const PAGES = {
  '': 'Rules',
  '/proposals': 'Proposals',
  '/dry-run': 'Dry run',
  '/transfer': 'Import and export',
  '/check': 'Check',
  '/history': 'History',
};

/** Links to what belongs to the redirects of a project. */
export function redirectsNav(visit: ProjectVisit, here: keyof typeof PAGES): Html {
  return tabs(visit, { label: 'Redirects', base: '/redirects', pages: PAGES }, here);
}

/** The rules of a project: redirects, paths that are gone, ignored ones. */
export const redirectsPage = projectPage({
  path: '/p/:project/redirects',
  nav: 'Redirects',
  show: async (visit): Promise<View> => {
    const { deps, project, query } = visit;
    const kind = KINDS.find((one) => one === query.get('kind'));
    const action = RULE_ACTIONS.find((one: RuleAction) => one === query.get('action'));
    const search = (query.get('search') ?? '').replaceAll('\0', '').trim().slice(0, MAX_SEARCH);
    const filter = { kinds: kind && [kind], action, search: search === '' ? undefined : search };
    const cursor = query.get('cursor') ?? undefined;
    const { rules, next_cursor } = await listRules(deps, project.project_id, { ...filter, cursor, limit: SHOWN });
    const isFiltered = kind !== undefined || action !== undefined || search !== '';
    const next = new URLSearchParams(query);
    next.set('cursor', next_cursor ?? '');
    return {
      title: 'Redirects',
      content: html`${redirectsNav(visit, '')}${
        visit.may('editor')
          ? html`<p><a class="button primary" href="${visit.ownHref('/redirects/edit')}">Add a rule</a></p>`
          : undefined
      }${rules.length > 0 || isFiltered ? filters(visit, { kind, action, search }) : undefined}${
        rules.length > 0
          ? html`<p class="explained">Answers: how often pathmend answered by the rule. What your web server redirects itself is not counted.</p>`
          : undefined
      }${table(
        'Rules by path',
        ['Path', 'Leads to', 'Answers', 'Made', ''],
        rules.map((rule) => row(visit, rule)),
        empty(
          isFiltered ? 'No rule fits.' : 'There is no rule yet.',
          'Accept suggestions in the inbox, add a rule here, or import the redirects that you have.',
        ),
      )}${next_cursor === null ? undefined : pager(visit.ownHref(`/redirects?${next.toString()}`), `The next ${SHOWN}`)}`,
    };
  },
  actions: {
    remove: {
      role: 'editor',
      run: async (visit, given) => ({
        to: visit.own('/redirects'),
        text: await makeChanges(visit, [{ path: given.get('path') ?? '', action: 'remove' }]),
      }),
    },
  },
});

function filters(
  visit: ProjectVisit,
  chosen: { kind: string | undefined; action: string | undefined; search: string },
): Html {
  return html`<form method="get" action="${visit.ownHref('/redirects')}" class="row" role="search">
${field(visit, { name: 'search', label: 'Path or target contains', type: 'search', value: chosen.search, attributes: { maxlength: MAX_SEARCH } })}
${select(visit, { name: 'action', label: 'What it does', value: chosen.action ?? '', choices: { '': 'any', redirect: 'redirect', gone: 'gone', ignore: 'ignore' } })}
${select(visit, { name: 'kind', label: 'For', value: chosen.kind ?? '', choices: { '': 'any', exact: 'one path', prefix: 'all paths below', pattern: 'a pattern' } })}
<button class="button">Show</button></form>`;
}

function row(visit: ProjectVisit, rule: Rule): Html[] {
  const { path, action, target, active, hits, last_hit_at, origin, made_by, made_at } = rule;
  const edit = new URLSearchParams({ path, action, target: target ?? '' });
  return [
    rule.kind === 'exact' ? pathLink(visit, path) : html`<span class="url">${path}</span>`,
    action === 'redirect'
      ? html`<span class="url">${target ?? ''}</span>${active ? undefined : html` ${badge('no page there', 'bad')}`}`
      : badge(action === 'gone' ? 'gone (410)' : 'ignored', 'quiet'),
    html`${amount(hits)}<span class="sub">${last_hit_at ? html`last ${time(last_hit_at)}` : 'never used'}</span>`,
    html`${ORIGINS[origin]}<span class="sub">${made_by === null ? undefined : html`${made_by}, `}${time(made_at)}</span>`,
    visit.may('editor')
      ? html`<div class="actions"><a class="button small" href="${visit.ownHref(`/redirects/edit?${edit.toString()}`)}" aria-label="Edit ${path}">Edit</a>${button(visit, visit.own('/redirects/remove'), 'Remove', { className: 'button small danger', fields: { path }, label: `Remove ${path}` })}</div>`
      : html``,
  ];
}

/** Adds or replaces a rule; what it would have answered of the last month's 404s is shown before. */
export const redirectEditPage = projectPage({
  path: '/p/:project/redirects/edit',
  role: 'editor',
  show: async (visit): Promise<View> => {
    const asked = visit.given ? visit.given.entries() : visit.query;
    const change = readChange(asked);
    const { problem, preview } =
      change.path === '' ? { problem: undefined, preview: undefined } : await tryOut(visit, change);
    const shown = problem ? { ...visit, problem } : visit;
    const here = visit.own('/redirects/edit');
    return {
      title: 'Edit a rule',
      content: html`${redirectsNav(visit, '')}<form method="get" action="${visit.href(here)}" class="form">
${field(shown, { name: 'path', label: 'Missing path', value: change.path, hint: '/old/page, or /old/* for all paths below. :number stands for any number: /blog/:number/*', attributes: { required: true, maxlength: 2048 } })}
${select(shown, { name: 'action', label: 'What to do', value: change.action, choices: { redirect: 'Redirect', gone: 'Gone for good (410)', ignore: 'Ignore: keep it out of the inbox' } })}
${field(shown, { name: 'target', label: 'Where it leads', value: change.target ?? '', hint: 'Of redirects: a path or url. /new/:splat keeps what stood for the star.', attributes: { maxlength: 4096 } })}
<button class="button">See what it would do</button></form>
${preview && html`<h2>What it would do</h2>${described(preview.change, preview.days)}${form(visit, `${here}/save`, html`<input type="hidden" name="path" value="${change.path}"><input type="hidden" name="action" value="${change.action}"><input type="hidden" name="target" value="${change.target ?? ''}"><button class="button primary">Save this rule</button>`, 'inline')}`}`,
    };
  },
  actions: {
    save: {
      role: 'editor',
      run: async (visit, given) => ({
        to: visit.own('/redirects'),
        text: await makeChanges(visit, [readChange(given.entries())]),
      }),
    },
  },
});

function readChange(fields: URLSearchParams): RuleChange {
  const action = RULE_ACTIONS.find((one) => one === fields.get('action')) ?? 'redirect';
  const path = (fields.get('path') ?? '').trim();
  return action === 'redirect' ? { path, action, target: (fields.get('target') ?? '').trim() } : { path, action };
}

async function tryOut(
  { deps, project }: ProjectVisit,
  change: RuleChange,
): Promise<{
  problem?: { message: string; field: string | undefined };
  preview?: { change: PreviewedChange; days: number };
}> {
  try {
    const found = await previewChanges(deps, project.project_id, [change]).catch(nameField);
    const [first] = found.changes;
    return first ? { preview: { change: first, days: found.stored.days } } : {};
  } catch (error) {
    if (error instanceof ApiError && error.status === 400)
      return { problem: { message: error.message, field: error.param } };
    throw error;
  }
}

function described({ path, replaces, problems, answers }: PreviewedChange, days: number): Html {
  const rows = answers.examples.map((one) => [
    html`<span class="url">${one.path}</span>`,
    one.requests,
    html`<span class="url">${one.to ?? 'gone'}</span>`,
  ]);
  return html`${facts([
    ['Path', html`<span class="url">${path}</span>`],
    ['So far', html`<span class="url">${say(replaces)}</span>`],
    [`404s of the last ${days} days`, `${countOf(answers.requests, 'request')} to ${countOf(answers.paths, 'path')}`],
    [
      'Problems',
      problems.length === 0
        ? badge('none', 'good')
        : problems.map(({ kind, detail }) => html`${badge(kind, 'bad')}<span class="sub url">${detail}</span>`),
    ],
  ])}${rows.length > 0 ? table('The most frequent of these paths', ['Path', 'Requests', 'Would lead to'], rows) : undefined}`;
}
