import { ApiError } from '../../base/errors.js';
import { RULE_ACTIONS } from '../../base/glossary.js';
import { previewChanges, type PreviewedChange } from '../../rules/preview/preview-changes.js';
import type { RuleChange } from '../../rules/rule.js';
import { countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { makeChanges, nameField, describeDecidedRule, problemBadges } from '../inbox/decide.js';
import { badge, facts, field, form, select, table } from '../shared/components.js';
import { asEditor, projectPage, type ProjectVisit } from '../shared/console-page.js';
import { redirectsNav, termFields } from './redirects-page.js';

/** Adds or replaces a rule; what it would have answered of the last month's 404s is shown before. */
export const redirectEditPage = projectPage({
  path: '/p/:project/redirects/edit',
  role: 'editor',
  show: async (visit) => {
    const params = visit.fields ? visit.fields.entries() : visit.query;
    const change = readChange(params);
    const { problem, preview } =
      change.path === '' ? { problem: undefined, preview: undefined } : await tryOut(visit, change);
    const shown = problem ? { ...visit, problem } : visit;
    const here = visit.ownPath('/redirects/edit');
    return {
      title: change.path === '' ? 'Add rule' : 'Edit rule',
      content: html`${redirectsNav(visit, '')}<form method="get" action="${visit.href(here)}" class="form">
${field(shown, { name: 'path', label: 'Missing path', value: change.path, hint: '/old/page, or /old/* for all paths below it. /p-:id.html matches similar paths, and :number any number. A full url matches only its host. Parameters such as ?id=7 must be present.', attributes: { required: true, maxlength: 2048 } })}
${select(shown, { name: 'action', label: 'Action', value: change.action, choices: { redirect: 'Redirect', gone: 'Gone: answered with 410, removed for good', ignore: 'Ignore: hide it from the inbox' } })}
${field(shown, { name: 'target', label: 'Target', value: change.target ?? '', hint: 'For redirects: a path or url, optionally with #section. /new/:splat keeps the text that * matched, /shop/:id the text that :id matched.', attributes: { maxlength: 4096 } })}
<details${change.code != null || change.pass_query || change.valid_from || change.valid_until ? html` open` : undefined}><summary>More options: status code, query string, dates</summary>
${select(shown, { name: 'code', label: 'Status code', value: String(change.code ?? ''), choices: CODES })}
${select(shown, { name: 'pass_query', label: 'Query string', value: change.pass_query ? 'yes' : '', choices: { '': 'Dropped', yes: 'Passed on to the target' } })}
${field(shown, { name: 'valid_from', label: 'Active from', value: change.valid_from ?? '', hint: 'A day such as 2027-01-31, or a time such as 2027-01-31T10:00Z. Empty: now.', attributes: { maxlength: 40 } })}
${field(shown, { name: 'valid_until', label: 'Active until', value: change.valid_until ?? '', hint: 'Empty: no end.', attributes: { maxlength: 40 } })}</details>
<button class="button">Preview</button></form>
${preview && html`<h2>Preview</h2>${described(preview.change, preview.days)}${form(visit, `${here}/save`, 'inline')`${Object.entries({ path: change.path, action: change.action, target: change.target ?? '', ...termFields(change) }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="button primary">Save rule</button>`}`}`,
    };
  },
  actions: {
    save: asEditor(async (visit, fields) => ({
      to: visit.ownPath('/redirects'),
      text: await makeChanges(visit, [readChange(fields.entries())]),
    })),
  },
});

function readChange(fields: URLSearchParams): RuleChange {
  const action = RULE_ACTIONS.find((name) => name === fields.get('action')) ?? 'redirect';
  const path = (fields.get('path') ?? '').trim();
  const code = fields.get('code') ?? '';
  const terms = {
    ...(/^\d+$/.test(code) ? { code: Number(code) } : {}),
    ...(fields.get('pass_query') === 'yes' ? { pass_query: true } : {}),
    valid_from: fields.get('valid_from')?.trim(),
    valid_until: fields.get('valid_until')?.trim(),
  };
  return { path, action, ...terms, ...(action === 'redirect' ? { target: (fields.get('target') ?? '').trim() } : {}) };
}

const CODES = {
  '': 'Default: 301, or 410 if gone',
  '302': '302: found, temporary',
  '303': '303: see other',
  '307': '307: temporary, keeps the method',
  '308': '308: permanent, keeps the method',
  '451': '451: gone for legal reasons',
};

async function tryOut({ deps, project }: ProjectVisit, change: RuleChange) {
  try {
    const previewed = await previewChanges(deps, project.project_id, [change]).catch(nameField);
    const [first] = previewed.changes;
    return first ? { preview: { change: first, days: previewed.stored.days } } : {};
  } catch (error) {
    if (error instanceof ApiError && error.status === 400)
      return { problem: { message: error.message, field: error.param } };
    throw error;
  }
}

function described({ path, replaces, problems, answers, misses }: PreviewedChange, days: number): Html {
  const examples = [
    ...answers.examples.map(({ to, ...row }) => ({ ...row, to: html`<span class="url">${to ?? 'gone'}</span>` })),
    ...misses.examples.map(({ to, ...row }) => ({
      ...row,
      to: html`${badge('no page', 'bad')} <span class="url">${to ?? ''}</span>`,
    })),
  ].sort((a, b) => b.requests - a.requests);
  const taken = `${countOf(answers.requests + misses.requests, 'request')} to ${countOf(answers.paths + misses.paths, 'path')}`;
  return html`${facts({
    Path: html`<span class="url">${path}</span>`,
    'Current rule': html`<span class="url">${describeDecidedRule(replaces)}</span>`,
    [`404s in the last ${days} days`]:
      misses.paths === 0 ? taken : `${taken}, of which ${countOf(misses.paths, 'path')} would lead to no page`,
    Problems: problemBadges(problems, 'none'),
  })}${table('Most frequent matching paths', examples, html``, {
    Path: ({ path: example }) => html`<span class="url">${example}</span>`,
    Requests: ({ requests }) => requests,
    'Would lead to': ({ to }) => to,
  })}`;
}
