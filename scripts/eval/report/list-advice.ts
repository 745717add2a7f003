import { adviseList, measureList } from '../lists.js';
import type { Asked } from '../ask.js';
import type { Outcome } from '../measures.js';
import { html, percent, tableOf, two, type Html } from './html.js';

const ROWS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** Shows which threshold suits a list of three links, and what each would show. `junk`: best scores of junk paths. */
export function listSection(endpoint: string, { cases, answers }: Asked, junk: readonly Outcome[]): Html {
  const advice = adviseList(cases, answers);
  const thresholds = [...new Set([...ROWS, advice.threshold])].sort((a, b) => a - b);
  const rows = thresholds.map((threshold) => {
    const { right_shown, shown, links } = measureList(cases, answers, threshold);
    return [
      two(threshold),
      percent(right_shown),
      percent(shown),
      links.toFixed(1),
      ...(junk.length > 0 ? [junk.filter(({ score }) => score >= threshold).length] : []),
    ];
  });
  return html`<h3>Threshold of ${endpoint} for a list</h3>
<p class="advice"><strong>${two(advice.threshold)} suits a list "did you mean":</strong> the right page is among the links in ${percent(advice.right_shown)} of ${cases.length} cases, with ${advice.links.toFixed(1)} links where there are any. A higher one would hide right pages that a visitor could still have chosen.</p>
${tableOf(`Lists of ${endpoint} with at most three links`, ['threshold', 'right page shown', 'a list at all', 'links in it', ...(junk.length > 0 ? ['junk answered'] : [])], rows)}`;
}
