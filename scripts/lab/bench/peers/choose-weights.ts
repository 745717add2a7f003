import { mean } from '../../../eval/measures.js';
import { CASE_KINDS } from '../../../eval/site-data.js';
import { ANSWERS, type BenchCase } from './data.js';
import { bestMixture, rank, scoreOf, type Candidate, type Weights } from './fusion.js';
import type { AllWeights, Answer, Outcome } from './measure.js';

/** The weights have the highest recall@3, kinds weighing the same; among equal ones recall@1 decides. */
export function chooseWeights(outcomes: readonly Outcome[]): AllWeights {
  const choose = (field: BenchCase['field']): Weights => {
    const kinds = CASE_KINDS.map((kind) =>
      outcomes.filter(({ benchCase }) => benchCase.field === field && benchCase.kind === kind).map(splitAnswers),
    ).filter((cases) => cases.length > 0);
    return bestMixture((weights) =>
      mean(
        kinds.map((cases) => {
          const ahead = cases.map((parts) => countAhead(parts, weights));
          return mean(ahead.map((count) => Number(count < 3) + Number(count < 1) / 1000));
        }),
      ),
    );
  };
  return { path: choose('path'), query: choose('query') };
}

type Figured = Omit<Candidate, 'id'>;
const figured = (answer: Answer): Answer & Figured => ({ path: 0, text: 0, cosine: 0, ...answer });

function splitAnswers({ benchCase, answers }: Outcome): { right: Figured[]; wrong: Figured[] } {
  const isWanted = ({ url }: Answer): boolean => benchCase.right.includes(url);
  return {
    right: answers.filter(isWanted).map(figured),
    wrong: answers.filter((answer) => !isWanted(answer)).map(figured),
  };
}

/** Counts the wrong pages before the first right one; all of them and more if no page is right. */
function countAhead({ right, wrong }: { right: Figured[]; wrong: Figured[] }, weights: Weights): number {
  const best = right.reduce((most, each) => Math.max(most, scoreOf(each, weights)), -Infinity);
  if (right.length === 0) return Infinity;
  return wrong.reduce((count, each) => count + Number(scoreOf(each, weights) > best), 0);
}

/** The best answers of each case by these weights. */
export function rankAll(outcomes: readonly Outcome[], weights: AllWeights): Outcome[] {
  return outcomes.map(({ benchCase, answers }) => {
    const mixture = weights[benchCase.field];
    return { benchCase, answers: mixture ? rank(answers.map(figured), mixture, ANSWERS) : answers };
  });
}
