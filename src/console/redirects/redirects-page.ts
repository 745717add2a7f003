import { RULE_ACTIONS, type RuleAction, type RuleKind } from '../../base/glossary.js';
import { listRules } from '../../rules/list-rules.js';
import { literally } from '../../rules/proposals/redirect-sheet.js';
import { termsInWords } from '../../rules/rule-meaning.js';
import { type Rule, type RuleChange, sourceOf } from '../../rules/rule.js';
import { amount } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { makeChanges } from '../inbox/decide.js';
import { badge, button, empty, field, select, table, time } from '../shared/components.js';
import { asEditor, projectPage, type ProjectVisit } from '../shared/console-page.js';
import { pager, pathLink, tabs } from '../shared/links.js';

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

/** Links to the pages about the redirects of a project. */
export function redirectsNav(visit: ProjectVisit, here: keyof typeof PAGES): Html {
  return tabs(visit, { label: 'Redirects', base: '/redirects', pages: PAGES }, here);
}

/** The page lists the rules of a project: redirects, paths that are gone, and ignored paths. */
export const redirectsPage = projectPage({
  path: '/p/:project/redirects',
  nav: 'Redirects',
  show: async (visit) => {
    const { deps, project, query } = visit;
    const kind = KINDS.find((name) => name === query.get('kind'));
    const action = RULE_ACTIONS.find((name: RuleAction) => name === query.get('action'));
    const search = (query.get('search') ?? '').replaceAll('\0', '').trim().slice(0, MAX_SEARCH);
    const filter = { kinds: kind && [kind], action, search: search === '' ? undefined : search };
    const cursor = query.get('cursor') ?? undefined;
    const { rules, next_cursor } = await listRules(deps, project.project_id, { ...filter, cursor, limit: SHOWN });
    const isFiltered = kind !== undefined || action !== undefined || search !== '';
    const nothing = empty(
      isFiltered ? 'No rule matches.' : 'No rules yet.',
      html`Accept suggestions in the <a href="${visit.ownHref('/inbox')}">inbox</a>, add a rule here, <a href="${visit.ownHref('/redirects/map')}">map a list of old urls</a>, or <a href="${visit.ownHref('/redirects/transfer')}">import</a> your redirects.`,
    );
    const next = new URLSearchParams(query);
    next.set('cursor', next_cursor ?? '');
    const add =
      visit.may('editor') &&
      html`<p><a class="button primary" href="${visit.ownHref('/redirects/edit')}">Add rule</a></p>`;
    const uses =
      rules.length > 0 &&
      html`<p class="explained">Uses: how often pathmend answered with the rule. Redirects made by your web server are not counted.</p>`;
    const list = table('Rules by path', rules, nothing, {
      Path: (rule) =>
        html`${rule.kind === 'exact' && rule.host === null ? pathLink(visit, sourceOf(rule)) : html`<span class="url">${sourceOf(rule)}</span>`}${rule.status !== 'active' && html` ${badge(rule.status === 'ended' ? 'expired' : 'not active yet', 'quiet')}`}`,
      Target: (rule) =>
        rule.action === 'redirect'
          ? html`<span class="url">${rule.target ?? ''}</span>${!rule.active && html` ${badge('page is missing', 'bad')}`}${showTerms(rule)}`
          : html`${badge(rule.action === 'gone' ? `gone (${rule.code ?? 410})` : 'ignored', 'quiet')}${showTerms({ ...rule, code: null })}`,
      Uses: ({ hits, last_hit_at: last }) =>
        html`${amount(hits)}<span class="sub">${last ? html`last used ${time(last)}` : 'never used'}</span>`,
      Created: ({ origin, made_by: by, made_at: at }) =>
        html`${ORIGINS[origin]}<span class="sub">${by !== null && html`${by}, `}${time(at)}</span>`,
      '': (rule) => visit.may('editor') && actions(visit, rule),
    });
    return html`${redirectsNav(visit, '')}${add}${(rules.length > 0 || isFiltered) && filters(visit, { kind, action, search })}${uses}${list}${next_cursor !== null && pager(visit.ownHref(`/redirects?${next.toString()}`), `Next ${SHOWN}`)}`;
  },
  actions: {
    remove: asEditor((visit, fields) => {
      const match = fields.get('match') === 'path' ? ({ match: 'path' } as const) : {};
      return makeChanges(visit, [{ path: fields.get('path') ?? '', action: 'remove', ...match }]);
    }),
  },
});

function filters(visit: ProjectVisit, chosen: Record<'kind' | 'action' | 'search', string | undefined>): Html {
  return html`<form method="get" action="${visit.ownHref('/redirects')}" class="row" role="search">
${field(visit, { name: 'search', label: 'Path or target contains', type: 'search', value: chosen.search ?? '', attributes: { maxlength: MAX_SEARCH } })}
${select(visit, { name: 'action', label: 'Action', value: chosen.action ?? '', choices: { '': 'Any', redirect: 'Redirect', gone: 'Gone', ignore: 'Ignore' } })}
${select(visit, { name: 'kind', label: 'Matches', value: chosen.kind ?? '', choices: { '': 'Any', exact: 'One path', prefix: 'All paths below', pattern: 'A pattern' } })}
<button class="button">Show</button></form>`;
}

function actions(visit: ProjectVisit, rule: Rule): Html {
  const path = sourceOf(rule);
  // A star of an exact path is escaped, because it would be a placeholder otherwise.
  const written = rule.kind === 'exact' ? literally(path) : path;
  const { action, target } = rule;
  const edit = new URLSearchParams({ path: written, action, target: target ?? '', ...termFields(rule) });
  const fields = { path, ...(rule.kind === 'exact' ? { match: 'path' } : {}) };
  return html`<div class="actions"><a class="button small" href="${visit.ownHref(`/redirects/edit?${edit.toString()}`)}" aria-label="Edit ${path}">Edit</a>${button(visit, visit.ownPath('/redirects/remove'), 'Remove', { className: 'button small danger', fields, label: `Remove ${path}` })}</div>`;
}

function showTerms(rule: Rule): Html | false {
  const words = termsInWords(rule);
  return words.length > 0 && html`<span class="sub">${words.join(', ')}</span>`;
}

/** The fields of a rule other than path and target, as the form has them. */
export function termFields(terms: Pick<RuleChange, 'code' | 'pass_query' | 'valid_from' | 'valid_until'>) {
  const { code, pass_query, valid_from, valid_until } = terms;
  return {
    ...(code == null ? {} : { code: String(code) }),
    ...(pass_query === true ? { pass_query: 'yes' } : {}),
    ...(valid_from ? { valid_from } : {}),
    ...(valid_until ? { valid_until } : {}),
  };
}
