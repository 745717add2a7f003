import type { HalfKnown, PeerMeasures, Section, SiteMeasures } from './evaluate-site.js';
import type { ListMeasures } from './lists.js';
import { mean, type RankMeasures } from './measures.js';
import { measureMixture, type Mixture } from './mixture.js';
import { REDIRECT_KINDS, type RedirectKind } from './redirect-kinds.js';
import { CASE_KINDS, OVERLAP_CLASSES, type CaseKind, type OverlapClass } from './site-data.js';

/** Every site that has a case weighs the same. */
export interface AveragedSection extends Section {
  /** The number of sites that have a case. */
  sites: number;
}

export type MacroAverage = Record<CaseKind, AveragedSection> & {
  by_overlap: Partial<Record<OverlapClass, AveragedSection>>;
  by_kind: Partial<Record<RedirectKind, RankMeasures & { sites: number }>>;
  probes: { answered: number };
  taken_off: AveragedSection;
  deleted: AveragedSection;
  mixture?: Mixture;
  reliability: { ece: number };
  /** The average over the sites that have enough redirects to halve. */
  half_known?: Omit<HalfKnown, 'reliability'> & { sites: number; reliability: { ece: number } };
};

/** The mean over sites of each measure; `n` is the sum. */
export function macroAverage(sites: readonly SiteMeasures[]): MacroAverage {
  const kindsOfCases = Object.fromEntries(
    CASE_KINDS.map((kind) => [kind, average(sites.map((site) => site[kind]))]),
  ) as Record<CaseKind, AveragedSection>;
  const classes = OVERLAP_CLASSES.map(
    (name) => [name, average(sites.flatMap((site) => site.redirects.by_overlap[name] ?? []))] as const,
  );
  const kinds = REDIRECT_KINDS.map((name) => {
    const all = sites.flatMap((site) => site.redirects.by_kind[name] ?? []);
    return [name, { ...averageRanks(all), sites: all.length }] as const;
  });
  const halves = sites.flatMap((site) => site.half_known ?? []);
  const takenOff = average(sites.map((site) => site.taken_off));
  const mixture = measureMixture([kindsOfCases.redirects, kindsOfCases.typos, takenOff]);
  return {
    ...kindsOfCases,
    taken_off: takenOff,
    deleted: average(sites.map((site) => site.deleted)),
    ...(mixture ? { mixture } : {}),
    by_overlap: Object.fromEntries(classes.filter(([, { n }]) => n > 0)),
    by_kind: Object.fromEntries(kinds.filter(([, { n }]) => n > 0)),
    ...(halves.length > 0 ? { half_known: averageHalves(halves) } : {}),
    probes: { answered: mean(sites.map((site) => site.probes.answered)) },
    reliability: { ece: mean(sites.filter((site) => site.reliability.n > 0).map((site) => site.reliability.ece)) },
  };
}

function average(all: readonly Section[]): AveragedSection {
  const sections = all.filter(({ n }) => n > 0);
  const names = Object.keys(sections[0]?.peers ?? {});
  const peers: PeerMeasures = Object.fromEntries(
    names.map((name) => [name, averageRanks(sections.flatMap((section) => section.peers?.[name] ?? []))]),
  );
  return {
    ...averageRanks(sections),
    answered: mean(sections.map(({ answered }) => answered)),
    precision1: mean(sections.map(({ precision1 }) => precision1)),
    sites: sections.length,
    at_redirect: {
      answered: mean(sections.map(({ at_redirect }) => at_redirect?.answered ?? 0)),
      precision1: mean(
        sections.flatMap(({ at_redirect }) =>
          at_redirect && at_redirect.answered > 0 ? [at_redirect.precision1] : [],
        ),
      ),
    },
    ...averageLists(sections),
    ...(names.length > 0 ? { peers } : {}),
  };
}

function averageHalves(halves: readonly HalfKnown[]): NonNullable<MacroAverage['half_known']> {
  const sure = halves.map(({ at_redirect }) => at_redirect);
  return {
    ...averageRanks(halves),
    answered: mean(halves.map(({ answered }) => answered)),
    precision1: mean(halves.filter(({ answered }) => answered > 0).map(({ precision1 }) => precision1)),
    at_redirect: {
      answered: mean(sure.map(({ answered }) => answered)),
      precision1: mean(sure.filter(({ answered }) => answered > 0).map(({ precision1 }) => precision1)),
    },
    cold: averageRanks(halves.map(({ cold }) => cold)),
    reliability: { ece: mean(halves.map(({ reliability }) => reliability.ece)) },
    sites: halves.length,
  };
}

function averageLists(sections: readonly Section[]): Pick<Section, 'lists'> {
  const lists = sections.flatMap((section) => section.lists ?? []);
  const over = (of: (list: NonNullable<Section['lists']>) => ListMeasures): ListMeasures => {
    const all = lists.map(of);
    const at = (field: keyof ListMeasures): number => mean(all.map((measures) => measures[field]));
    return { threshold: at('threshold'), right_shown: at('right_shown'), shown: at('shown'), links: at('links') };
  };
  return lists.length === 0
    ? {}
    : {
        lists: {
          at_default: over((list) => list.at_default),
          at_list: over((list) => list.at_list),
          suits: over((list) => list.suits),
        },
      };
}

function averageRanks(sections: readonly RankMeasures[]): RankMeasures {
  return {
    n: sections.reduce((sum, { n }) => sum + n, 0),
    recall1: mean(sections.map(({ recall1 }) => recall1)),
    recall3: mean(sections.map(({ recall3 }) => recall3)),
    mrr: mean(sections.map(({ mrr }) => mrr)),
  };
}
