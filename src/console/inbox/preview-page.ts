import { readMissingPaths } from '../../analytics/store/missing-paths.js';
import { invalid } from '../../base/errors.js';
import type { RuleChange } from '../../rules/rule.js';
import { previewChanges, type PreviewedChange } from '../../rules/preview/preview-changes.js';
import { html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { badge, empty, form, table } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { DECISIONS, makeChanges, MAX_DECIDED, say, toChange } from './decide.js';
import { backTo } from './inbox-page.js';

/** What a decision about several paths would change; a form makes the changes. */
export const inboxPreviewPage = projectPage({
  path: '/p/:project/inbox/preview',
  role: 'editor',
  show: async (visit): Promise<View> => {
    const fields = visit.given ? visit.given.entries() : visit.query;
    const { decision, chosen, changes } = await readChosen(visit, fields);
    if (changes.length === 0)
      return { title: 'Preview', content: empty('Nothing is selected.', 'Go back to the inbox.') };
    const { changes: previewed, stored } = await previewChanges(visit.deps, visit.project.project_id, changes);
    const rows = previewed.map((one, at) => [
      html`<label class="check"><input type="checkbox" name="row" value="${chosen[at]?.hash ?? ''}"${one.problems.length === 0 ? html` checked` : undefined}><span class="url">${one.path}</span></label><input type="hidden" name="target:${chosen[at]?.hash ?? ''}" value="${chosen[at]?.target ?? ''}">`,
      html`<span class="url">${say(said(one))}</span>${one.replaces ? html`<span class="sub url">so far ${say(one.replaces)}</span>` : undefined}`,
      decision === 'ignore'
        ? html`<span class="quiet">leaves the inbox</span>`
        : countOf(one.answers.requests, 'request'),
      one.problems.length === 0
        ? badge('good', 'good')
        : one.problems.map((problem) => html`${badge(problem.kind, 'bad')}<span class="sub">${problem.detail}</span>`),
    ]);
    const columns = ['Path', 'Will be', `In the last ${stored.days} days`, 'Check'];
    return {
      title: 'Preview',
      content: html`<p>Nothing is changed yet. Rows with a problem are not ticked.</p>${form(
        visit,
        `/p/${visit.project.project_id}/inbox/preview/apply`,
        html`<input type="hidden" name="do" value="${decision}"><input type="hidden" name="back" value="${fields.get('back') ?? ''}">${table('What would change', columns, rows)}
<p class="actions"><button class="button primary">Make these changes</button><a class="button" href="${visit.href(`/p/${visit.project.project_id}/inbox`)}">Cancel</a></p>`,
        'preview',
      )}`,
    };
  },
  actions: {
    apply: {
      role: 'editor',
      run: async (visit, given) => {
        const { changes } = await readChosen(visit, given.entries());
        if (changes.length === 0) throw invalid('row', 'Tick at least one path.');
        return { to: backTo(visit, given), text: await makeChanges(visit, changes) };
      },
    },
  },
});

interface Chosen {
  hash: string;
  target: string | undefined;
}

async function readChosen(
  { deps, project }: ProjectVisit,
  fields: URLSearchParams,
): Promise<{ decision: string; chosen: Chosen[]; changes: RuleChange[] }> {
  const decision = DECISIONS.find((name) => name === fields.get('do')) ?? 'ignore';
  const targets = fields.getAll('target');
  const all = fields.getAll('row').map((hash, at) => ({ hash, target: fields.get(`target:${hash}`) ?? targets[at] }));
  const valid = all.filter(({ hash }) => /^[0-9a-f]{64}$/.test(hash)).slice(0, MAX_DECIDED);
  const paths = await readMissingPaths(
    deps.db,
    project.project_id,
    valid.map(({ hash }) => hash),
  );
  // Without a suggestion there is nothing to accept.
  const chosen = valid.filter(({ hash, target = '' }) => paths.has(hash) && (decision !== 'accept' || target !== ''));
  const changes = chosen.map(({ hash, target }) => toChange(decision, paths.get(hash) ?? '', target));
  return { decision, chosen, changes };
}

function said({
  action,
  target,
}: PreviewedChange): { action: 'redirect' | 'gone' | 'ignore'; target: string | null } | null {
  return action === 'remove' ? null : { action, target };
}
