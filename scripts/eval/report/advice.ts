import type { Outcome } from '../measures.js';
import { figure, html, percent, tableOf, two, type Html } from './html.js';
import { thresholdPlot } from './plots.js';
import { adviseThreshold, FEWEST_ANSWERS, FIRST_THRESHOLD, thresholdCurve, type Advice } from './threshold.js';

export interface AdviceInput {
  /** The endpoint that the threshold is for: `suggest` or `semantic-search`. */
  endpoint: string;
  outcomes: readonly Outcome[];
  /** Best scores of junk paths; none for questions. */
  junk: readonly Outcome[];
  /** The precision@1 that redirects should have, 0 to 1. */
  aim: number;
  standard: number;
}

/** Shows which threshold suits, how sure that is, and the curve behind it. */
export function adviceSection({ endpoint, outcomes, junk, aim, standard }: AdviceInput): Html {
  const curve = thresholdCurve(outcomes);
  const advice = adviseThreshold(curve, aim);
  const chosen = advice.verdict === 'too little' ? undefined : advice.point.threshold;
  const rows = curve
    .filter(({ threshold }) => Math.round(threshold * 100) % 5 === 0 || threshold === chosen)
    .map((point) => [
      two(point.threshold),
      point.answered,
      percent(point.answered / (outcomes.length || 1)),
      point.answered === 0 ? '–' : two(point.precision),
      point.answered === 0 ? '–' : two(point.lower),
      ...(junk.length > 0 ? [junkAt(junk, point.threshold)] : []),
    ]);
  const columns = [
    'threshold',
    'answered',
    'share of cases',
    'precision@1',
    'at least (95 %)',
    ...(junk.length > 0 ? ['junk answered'] : []),
  ];
  const junkText =
    junk.length === 0
      ? undefined
      : html`<p>Of ${junk.length} junk paths (what scanners ask for, no page is right), ${junkAt(junk, chosen ?? standard)} would be answered at ${two(chosen ?? standard)}${chosen === undefined || chosen === standard ? '' : `, ${junkAt(junk, standard)} at the default of ${two(standard)}`}.</p>`;
  return html`<h3>Threshold of ${endpoint} for a redirect</h3>
<p class="advice">${inWords(advice, aim, standard, outcomes.length)}</p>${junkText}
${figure(
  `Full line: precision@1, the share of answers whose first page is right; thin line: the lower end of its 95 % interval; dashed: share of cases answered. Dotted: the aim of ${two(aim)}${chosen === undefined ? '' : '; upright line: the threshold named above'}.`,
  thresholdPlot(curve, outcomes.length, aim, chosen),
  tableOf(`Thresholds for ${endpoint}`, columns, rows),
)}`;
}

function junkAt(junk: readonly Outcome[], threshold: number): number {
  return junk.filter(({ score }) => score >= threshold).length;
}

function inWords(advice: Advice, aim: number, standard: number, cases: number): Html {
  if (advice.verdict === 'too little') {
    const seen =
      advice.point === undefined
        ? 'No threshold reaches it here'
        : `Here ${two(advice.point.threshold)} reaches it, with ${advice.point.answered} answers`;
    return html`<strong>Too little data to say which threshold suits this site.</strong> ${seen}; fewer than ${FEWEST_ANSWERS} answers say nothing about a precision of ${two(aim)}. Keep the default of ${two(standard)} until there are more cases.`;
  }
  const { point } = advice;
  const lowest = point.threshold === FIRST_THRESHOLD ? ' of those looked at' : '';
  const measured = html`${point.right} of ${point.answered} answers are right there (precision@1 ${two(point.precision)}; with 95 % confidence at least ${two(point.lower)}), and ${percent(point.answered / cases)} of ${cases} cases are answered.`;
  switch (advice.verdict) {
    case 'sure':
      return html`<strong>${two(point.threshold)} suits this site:</strong> the lowest threshold${lowest} with a precision@1 of ${two(aim)}. ${measured}`;
    case 'likely':
      return html`<strong>${two(point.threshold)} suits this site as measured:</strong> the lowest threshold${lowest} with a precision@1 of ${two(aim)}. ${measured} More cases would say whether it really reaches the aim.`;
    case 'never':
      return html`<strong>No threshold reaches a precision@1 of ${two(aim)} on this site.</strong> ${two(point.threshold)} comes nearest. ${measured}`;
  }
}
