import type { Measures } from './measures.js';

/** Measures of dead paths of which a third moved, a third is mistyped and a third was taken off. */
export interface Mixture {
  at_default: MixtureAt;
  at_redirect: MixtureAt;
}

interface MixtureAt {
  /** Share of all paths. */
  answered: number;
  /** Share of those whose first answer is right. */
  precision1: number;
}

type Kind = Pick<Measures, 'n'> & MixtureAt & { at_redirect?: MixtureAt };

/** Mixes kinds of cases, each with the same weight. Undefined if a kind has no case. */
export function measureMixture(kinds: readonly Kind[]): Mixture | undefined {
  if (kinds.some(({ n }) => n === 0)) return undefined;
  return {
    at_default: mix(kinds),
    at_redirect: mix(kinds.map(({ at_redirect }) => at_redirect ?? { answered: 0, precision1: 0 })),
  };
}

function mix(kinds: readonly MixtureAt[]): MixtureAt {
  const answered = kinds.reduce((sum, kind) => sum + kind.answered, 0);
  const right = kinds.reduce((sum, kind) => sum + kind.answered * kind.precision1, 0);
  return { answered: answered / kinds.length, precision1: answered === 0 ? 0 : right / answered };
}
