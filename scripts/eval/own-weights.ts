import { readOwnWeights } from '#src/search/store/project-weights.js';
import { fitProject } from '#src/search/project-weights/fit-weights-job.js';
import type { Service } from '#src/app/service.js';
import { askAll } from './ask.js';
import type { IndexedSite } from './index-site.js';
import { mean, measure, measureRanks, rankOf, type Measures, type RankMeasures } from './measures.js';
import { PROBES } from './probes.js';
import type { Case } from './site-data.js';

/** The half of the redirects that the project does not know, asked again with weights fitted on the other half. */
export interface WithOwnWeights extends Measures {
  /** `accepted`: they are in use; else the answers are those without. */
  verdict: string;
  typos: RankMeasures;
  probes: { answered: number };
}

/** Fits a site's own weights from the redirects that it knows, as the job does, and asks again. */
export async function measureOwnWeights(
  service: Service,
  indexed: IndexedSite,
  cases: readonly Case[],
  typos: readonly Case[],
  threshold: number,
): Promise<WithOwnWeights> {
  await fitProject({ ...service.deps, db: service.db }, indexed.projectId, new AbortController().signal);
  const verdict = (await readOwnWeights(service.db, indexed.projectId))?.verdict ?? 'too few redirects';
  const probes = PROBES.map((input) => ({ input, right: [], kind: 'probe' }));
  const [asked, mistyped, junk] = [
    await askAll(service, indexed, 'suggest', cases),
    await askAll(service, indexed, 'suggest', typos),
    await askAll(service, indexed, 'suggest', probes),
  ];
  return {
    verdict,
    ...measure(cases, asked.answers, threshold),
    typos: measureRanks(typos.map(({ right }, i) => rankOf(right, mistyped.answers[i] ?? []))),
    probes: { answered: measure(probes, junk.answers, threshold).answered },
  };
}

/** The mean over sites; `verdict` says how many accepted theirs. */
export function averageOwnWeights(
  all: readonly WithOwnWeights[],
  averageRanks: (ranks: readonly RankMeasures[]) => RankMeasures,
): WithOwnWeights {
  const accepted = all.filter(({ verdict }) => verdict === 'accepted').length;
  return {
    verdict: `accepted on ${accepted} of ${all.length}`,
    ...averageRanks(all),
    answered: mean(all.map(({ answered }) => answered)),
    precision1: mean(all.filter(({ answered }) => answered > 0).map(({ precision1 }) => precision1)),
    typos: averageRanks(all.map(({ typos }) => typos)),
    probes: { answered: mean(all.map(({ probes }) => probes.answered)) },
  };
}
