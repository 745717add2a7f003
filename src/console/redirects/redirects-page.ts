import { literally } from '../../rules/proposals/redirect-sheet.js';
import { RULE_ACTIONS, type RuleAction, type RuleKind } from '../../base/glossary.js';
import { listRules } from '../../rules/list-rules.js';
import { sourceOf, type Rule } from '../../rules/rule.js';
import { termsInWords } from '../../rules/rule-meaning.js';
import { html, type Html } from '../../text/html.js';
import { amount } from '../../text/count-of.js';
import { badge, button, empty, field, pager, select, table, tabs, time } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { makeChanges } from '../inbox/decide.js';
import { termFields } from './rule-form.js';
import { pathLink } from '../inbox/path-page.js';

const SHOWN = 50;
const MAX_SEARCH = 500;
const KINDS: readonly RuleKind[] = ['exact', 'prefix', 'pattern'];
const ORIGINS = {
  import: 'imported',
  sync: 'sync',
  person: 'command line',
  console: 'console',
  learned: 'confirmed proposal',
};

const PAGES = {
  '': 'Rules',
  '/proposals': 'Proposals',
  '/map': 'Map old urls',
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
          ? html`<p><a class="button primary" href="${visit.ownHref('/redirects/edit')}">Add rule</a></p>`
          : undefined
      }${rules.length > 0 || isFiltered ? filters(visit, { kind, action, search }) : undefined}${
        rules.length > 0
          ? html`<p class="explained">Uses: how often pathmend answered with the rule. Redirects made by your web server are not counted.</p>`
          : undefined
      }${table(
        'Rules by path',
        ['Path', 'Target', 'Uses', 'Created', ''],
        rules.map((rule) => row(visit, rule)),
        empty(
          isFiltered ? 'No rule matches.' : 'No rules yet.',
          'Accept suggestions in the inbox, add a rule here, or import your redirects.',
        ),
      )}${next_cursor === null ? undefined : pager(visit.ownHref(`/redirects?${next.toString()}`), `Next ${SHOWN}`)}`,
    };
  },
  actions: {
    remove: {
      role: 'editor',
      run: async (visit, given) => ({
        to: visit.own('/redirects'),
        text: await makeChanges(visit, [
          {
            path: given.get('path') ?? '',
            action: 'remove',
            ...(given.get('match') === 'path' ? { match: 'path' } : {}),
          },
        ]),
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
${select(visit, { name: 'action', label: 'Action', value: chosen.action ?? '', choices: { '': 'Any', redirect: 'Redirect', gone: 'Gone', ignore: 'Ignore' } })}
${select(visit, { name: 'kind', label: 'Matches', value: chosen.kind ?? '', choices: { '': 'Any', exact: 'One path', prefix: 'All paths below', pattern: 'A pattern' } })}
<button class="button">Show</button></form>`;
}

function row(visit: ProjectVisit, rule: Rule): Html[] {
  const { action, target, active, hits, last_hit_at, origin, made_by, made_at, status } = rule;
  const path = sourceOf(rule);
  // Else a star of the path itself would be a placeholder.
  const written = rule.kind === 'exact' ? literally(path) : path;
  const edit = new URLSearchParams({ path: written, action, target: target ?? '', ...termFields(rule) });
  const match = rule.kind === 'exact' ? { match: 'path' } : undefined;
  return [
    html`${rule.kind === 'exact' && rule.host === null ? pathLink(visit, path) : html`<span class="url">${path}</span>`}${status === 'active' ? undefined : html` ${badge(status === 'ended' ? 'expired' : 'not active yet', 'quiet')}`}`,
    action === 'redirect'
      ? html`<span class="url">${target ?? ''}</span>${active ? undefined : html` ${badge('page is missing', 'bad')}`}${said(rule)}`
      : html`${badge(action === 'gone' ? `gone (${rule.code ?? 410})` : 'ignored', 'quiet')}${said({ ...rule, code: null })}`,
    html`${amount(hits)}<span class="sub">${last_hit_at ? html`last used ${time(last_hit_at)}` : 'never used'}</span>`,
    html`${ORIGINS[origin]}<span class="sub">${made_by === null ? undefined : html`${made_by}, `}${time(made_at)}</span>`,
    visit.may('editor')
      ? html`<div class="actions"><a class="button small" href="${visit.ownHref(`/redirects/edit?${edit.toString()}`)}" aria-label="Edit ${path}">Edit</a>${button(visit, visit.own('/redirects/remove'), 'Remove', { className: 'button small danger', fields: { path, ...match }, label: `Remove ${path}` })}</div>`
      : html``,
  ];
}

function said(rule: Rule): Html | undefined {
  const words = termsInWords(rule);
  return words.length === 0 ? undefined : html`<span class="sub">${words.join(', ')}</span>`;
}
