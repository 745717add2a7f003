import { confirmProposals, listProposals, rejectProposals, type Proposal } from '../../rules/proposals/proposals.js';
import { proposeRules } from '../../rules/proposals/propose-rules-job.js';
import { html, type Html } from '../../text/html.js';
import { amount, countOf } from '../../text/count-of.js';
import { button, empty, form, selectAll } from '../shared/components.js';
import { asEditor, projectPage, actorOf, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { redirectsNav } from './redirects-page.js';
import { pager } from '../shared/links.js';

const SHOWN = 25;
const SOURCES = {
  sections: 'a section that moved',
  redirects: 'redirects that agree',
  clicks: 'clicks of visitors',
};

/** Lists rules that the service learned, with their evidence and the requests that they would have answered. */
export const redirectProposalsPage = projectPage({
  path: '/p/:project/redirects/proposals',
  title: 'Proposals',
  show: async (visit) => {
    const { deps, project, query } = visit;
    const cursor = query.get('cursor') ?? undefined;
    const { proposals, next_cursor } = await listProposals(deps, project.project_id, { limit: SHOWN, cursor });
    const here = visit.ownPath('/redirects/proposals');
    const list = html`<ul class="choices">${proposals.map((proposal) => showProposal(visit, proposal))}</ul>`;
    const post = form(visit, `${here}/decide`, 'deciding-proposals');
    return html`${redirectsNav(visit, '/proposals')}<p>Redirects that pathmend learned from your redirects and from clicks. Confirm one to make it a rule. A case is a redirect or a click that shows the same change, or another one; its list is below.</p>${
      proposals.length === 0
        ? empty(
            'No proposals.',
            'Proposals are made each night, once several redirects or clicks show the same change.',
          )
        : visit.may('editor')
          ? post`<p>${selectAll()}</p>${list}<p class="actions"><button class="button primary" name="do" value="confirm">Confirm selected</button><button class="button" name="do" value="reject">Reject selected</button></p>`
          : list
    }${next_cursor !== null && pager(visit.href(`${here}?cursor=${next_cursor}`), `Next ${SHOWN}`)}${visit.may('editor') && button(visit, `${here}/renew`, 'Find proposals now')}`;
  },
  actions: {
    decide: asEditor(decide),
    renew: asEditor(async ({ deps, project }) => {
      const { proposed } = await proposeRules(deps, project.project_id);
      return `${countOf(proposed, 'rule')} proposed.`;
    }),
  },
});

function showProposal(visit: ProjectVisit, proposal: Proposal): Html {
  const { proposal_id, path, target, source, support, contradictions, evidence, answers, missing } = proposal;
  const more = answers.paths - answers.examples.length;
  const taken = html`${answers.examples.map(({ path: oldPath, to, requests }) => html`<li class="url">${oldPath} → ${to ?? ''} (${countOf(requests, 'request')})</li>`)}${more > 0 && html`<li>and ${countOf(more, 'path')} more</li>`}`;
  const cases =
    source === 'clicks'
      ? `${amount(support)} of ${amount(support + contradictions)} clicks${unclicked(evidence)}`
      : `${countOf(support, 'case')} for it, ${amount(contradictions)} against`;
  return html`<li>${visit.may('editor') && html`<label class="pick"><input type="checkbox" name="proposal" value="${proposal_id}"><span class="unseen">Select ${path}</span></label>`}<div><p><span class="url path">${path}</span> → <span class="url">${target}</span></p>
<p class="sub">Shown by ${SOURCES[source]}: ${cases}. Would have answered ${countOf(answers.requests, '404')} on ${countOf(answers.paths, 'path')} in the last month.</p>
${
  missing.length > 0 &&
  html`<p class="sub">It would also take paths whose new page is missing, and an exported rule would send them there:</p><ul>${missing.map(({ path: oldPath, requests }) => html`<li class="url">${oldPath} (${countOf(requests, 'request')})</li>`)}</ul>`
}<details><summary>Cases</summary><ul>${evidence.map(({ from, to }) => html`<li class="url">${from} → ${to}</li>`)}</ul></details>${answers.paths > 0 && html`<details><summary>Also takes</summary><ul>${taken}</ul></details>`}</div></li>
`;
}

/** `; in the last 90 days links were shown 54 times, and 51 times none was clicked` */
function unclicked([first]: Proposal['evidence']): string {
  if (first?.shown === undefined || first.unclicked === undefined) return '';
  return `; in the last 90 days links were shown ${countOf(first.shown, 'time')}, and ${countOf(first.unclicked, 'time')} none was clicked`;
}

async function decide(visit: ProjectVisit, fields: Form): Promise<string> {
  const { deps, project } = visit;
  const ids = fields.all('proposal');
  const decision = fields.choice('do', ['confirm', 'reject']);
  if (decision === 'reject') {
    const { rejected } = await rejectProposals(deps, project.project_id, ids, actorOf(visit));
    return `${countOf(rejected, 'proposal')} rejected. They will not be proposed again.`;
  }
  const { changed } = await confirmProposals(deps, project.project_id, ids, actorOf(visit));
  return `${countOf(changed, 'rule')} created. You can undo this in the history.`;
}
