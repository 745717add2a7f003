import { RULE_ACTIONS, type RuleAction, type RuleKind } from '../../base/glossary.js';
import { listRules } from '../../rules/list-rules.js';
import type { Rule } from '../../rules/rule.js';
import { html, type Html } from '../../text/html.js';
import { amount } from '../../text/count-of.js';
import { badge, button, empty, field, select, table, time } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { makeChanges } from '../inbox/decide.js';
import { redirectsNav } from './navigation.js';

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
          ? html`<p><a class="button primary" href="${below(visit, '/edit')}">Add a rule</a></p>`
          : undefined
      }${rules.length > 0 || isFiltered ? filters(visit, { kind, action, search }) : undefined}${
        rules.length === 0
          ? empty(
              isFiltered ? 'No rule fits.' : 'There is no rule yet.',
              'Accept suggestions in the inbox, add a rule here, or import the redirects that you have.',
            )
          : table(
              'Rules by path',
              ['Path', 'Leads to', 'Answers', 'Made', ''],
              rules.map((rule) => row(visit, rule)),
            )
      }${next_cursor === null ? undefined : html`<p class="pager"><a class="button" href="${below(visit, `?${next.toString()}`)}">The next ${SHOWN}</a></p>`}`,
    };
  },
  actions: {
    remove: {
      role: 'editor',
      run: async (visit, given) => ({
        to: `/p/${visit.project.project_id}/redirects`,
        text: await makeChanges(visit, [{ path: given.get('path') ?? '', action: 'remove' }]),
      }),
    },
  },
});

function below({ href, project }: ProjectVisit, path: string): string {
  return href(`/p/${project.project_id}/redirects${path}`);
}

function filters(
  visit: ProjectVisit,
  chosen: { kind: string | undefined; action: string | undefined; search: string },
): Html {
  return html`<form method="get" action="${below(visit, '')}" class="row" role="search">
${field(visit, { name: 'search', label: 'Path or target contains', type: 'search', value: chosen.search, attributes: { maxlength: MAX_SEARCH } })}
${select(visit, { name: 'action', label: 'What it does', value: chosen.action ?? '', choices: { '': 'any', redirect: 'redirect', gone: 'gone', ignore: 'ignore' } })}
${select(visit, { name: 'kind', label: 'For', value: chosen.kind ?? '', choices: { '': 'any', exact: 'one path', prefix: 'all paths below', pattern: 'a pattern' } })}
<button class="button">Show</button></form>`;
}

function row(visit: ProjectVisit, rule: Rule): Html[] {
  const { path, action, target, active, hits, last_hit_at, origin, made_by, made_at } = rule;
  const edit = new URLSearchParams({ path, action, target: target ?? '' });
  return [
    html`<span class="url">${path}</span>`,
    action === 'redirect'
      ? html`<span class="url">${target ?? ''}</span>${active ? undefined : html` ${badge('no page there', 'bad')}`}`
      : badge(action === 'gone' ? 'gone (410)' : 'ignored', 'quiet'),
    html`${amount(hits)}<span class="sub">${last_hit_at ? html`last ${time(last_hit_at)}` : 'never used'}</span>`,
    html`${ORIGINS[origin]}<span class="sub">${made_by === null ? undefined : html`${made_by}, `}${time(made_at)}</span>`,
    visit.may('editor')
      ? html`<div class="actions"><a class="button small" href="${below(visit, `/edit?${edit.toString()}`)}" aria-label="Edit ${path}">Edit</a>${button(visit, `/p/${visit.project.project_id}/redirects/remove`, 'Remove', { className: 'button small danger', fields: { path }, label: `Remove ${path}` })}</div>`
      : html``,
  ];
}
