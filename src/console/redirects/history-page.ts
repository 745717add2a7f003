import { invalid } from '../../base/errors.js';
import { undoChange } from '../../rules/change-rules.js';
import { listChanges, type Change } from '../../rules/list-rules.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { badge, button, empty, table, time } from '../shared/components.js';
import { asEditor, projectPage, actorOf, type ProjectVisit } from '../shared/console-page.js';
import { describeDecidedRule } from '../inbox/decide.js';
import { redirectsNav } from './redirects-page.js';
import { pager } from '../shared/links.js';

const NOTHING = empty(
  'No rule changes yet.',
  'Decisions in the inbox and changes under Redirects are listed here and can be undone.',
);

/** The page lists what people changed in the rules, each change with a button that undoes it. */
export const redirectHistoryPage = projectPage({
  path: '/p/:project/redirects/history',
  title: 'Rule history',
  show: async (visit) => {
    const { deps, project, query } = visit;
    const cursor = query.get('cursor') ?? undefined;
    const { changes, next_cursor } = await listChanges(deps, project.project_id, { cursor });
    return html`${redirectsNav(visit, '/history')}${table('Rule changes, newest first', changes, NOTHING, {
      When: ({ changed_at: at }) => time(at),
      Who: ({ changed_by: by }) => by,
      What: ({ rules, count }) =>
        html`${rules.map(changedRule)}${count > rules.length && html`<span class="sub">and ${countOf(count - rules.length, 'more rule')}</span>`}`,
      '': (change) => state(visit, change),
    })}${next_cursor !== null && pager(visit.ownHref(`/redirects/history?cursor=${next_cursor}`), 'Older')}`;
  },
  actions: {
    undo: asEditor(async (visit, fields) => {
      const id = fields.get('change') ?? '';
      if (!/^\d{1,10}$/.test(id)) throw invalid('change', 'Unknown change. Reload the page and try again.');
      await undoChange(visit.deps, visit.project.project_id, Number(id), actorOf(visit));
      return `Change ${id} undone. You can undo this too.`;
    }),
  },
});

function changedRule({ path, before, after }: Change['rules'][number]): Html {
  return html`<div class="changed"><span class="url">${path}</span> <span class="sub url">${describeDecidedRule(after)}${before !== null && `; before: ${describeDecidedRule(before)}`}</span></div>`;
}

function state(visit: ProjectVisit, { change_id, kind, undoes, undone_by }: Change): Html {
  const note = kind === 'undo' && html`<span class="sub">undid change ${undoes ?? ''}</span>`;
  if (undone_by !== null) return html`${badge('undone', 'quiet')}${note}`;
  if (!visit.may('editor')) return html`${note}`;
  return html`${button(visit, visit.ownPath('/redirects/history/undo'), 'Undo', {
    className: 'button small',
    fields: { change: String(change_id) },
    label: `Undo change ${change_id}`,
  })}${note}`;
}
