import { RULE_ACTIONS } from '../../base/glossary.js';
import { previewChanges, type PreviewedChange } from '../../rules/preview/preview-changes.js';
import type { RuleChange } from '../../rules/rule.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { badge, facts, field, form, select, table } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { makeChanges, nameField, say } from '../inbox/decide.js';
import { ApiError } from '../../base/errors.js';
import { redirectsNav } from './navigation.js';

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
    const here = `/p/${visit.project.project_id}/redirects/edit`;
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
        to: `/p/${visit.project.project_id}/redirects`,
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
