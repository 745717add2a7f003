import type { Service } from '#src/app/service.js';
import { askAll, type Asked } from './ask.js';
import { indexSite, type IndexedSite } from './index-site.js';
import { MIN_KNOWN, halve, importCases } from './known-half.js';
import { adviseList, measureList, type ListMeasures } from './lists.js';
import {
  measure,
  measureRanks,
  outcomesOf,
  rankOf,
  reliabilityOf,
  type Measures,
  type RankMeasures,
  type Reliability,
} from './measures.js';
import { buildPeers } from './peers/all.js';
import type { Peer } from './peers/peer.js';
import { PROBES } from './probes.js';
import { takeOff, type TakenOff } from './taken-off.js';
import { measureMixture, type Mixture } from './mixture.js';
import { REDIRECT_KINDS, redirectKinds, type RedirectKind } from './redirect-kinds.js';
import {
  CASE_KINDS,
  OVERLAP_CLASSES,
  isQuestion,
  overlapClass,
  spread,
  type Case,
  type CaseKind,
  type OverlapClass,
  type SiteData,
} from './site-data.js';

export const DEFAULT_THRESHOLD = 0.7;
export const REDIRECT_THRESHOLD = 0.9;
/** For a list of links that a person chooses from; see README.md. */
export const LIST_THRESHOLD = 0.1;
export type PeerMeasures = Record<string, RankMeasures>;

export interface Section extends Measures {
  /** With peers only. */
  peers?: PeerMeasures;
  /** Counts an answer from the threshold of `proxy` on. */
  at_redirect?: Pick<Measures, 'answered' | 'precision1'>;
  /**
   * Lists of at most three links: at the default threshold, at the one made for lists, and at the one that suits these
   * cases.
   */
  lists?: { at_default: ListMeasures; at_list: ListMeasures; suits: ListMeasures };
}

export interface RedirectSection extends Section {
  /** The same for each overlap class that has a case. */
  by_overlap: Partial<Record<OverlapClass, Section>>;
  /** The same for each kind of change that has a case. */
  by_kind: Partial<Record<RedirectKind, RankMeasures>>;
}

/** Every other redirect, asked for while the project knows the rest. */
export interface HalfKnown extends Measures {
  at_redirect: Pick<Measures, 'answered' | 'precision1'>;
  /** The same paths before it knew any. */
  cold: RankMeasures;
  reliability: Reliability;
}

/** Everything measured on a site; its shape is that of `--json`. */
export interface SiteMeasures {
  redirects: RedirectSection;
  typos: Section;
  queries: Section;
  meant_paths: Section;
  meant_questions: Section;
  /** Junk paths: no answer to them is right. */
  probes: Section;
  /** Paths of pages that were taken off the site, which the project never knew: no answer is right. */
  taken_off: Section;
  /** The same paths, after the project knew the pages and saw them deleted. */
  deleted: Section;
  /** It needs redirects and mistyped paths. */
  mixture?: Mixture;
  /** It judges suggest's best score on redirects and typos. */
  reliability: Reliability;
  /** It needs enough redirects. */
  half_known?: HalfKnown;
}

export interface SiteResult {
  site: SiteData;
  measures: SiteMeasures;
  searchesByKind: Record<CaseKind | 'probes', Asked> & TakenOff<Asked>;
}

export interface EvaluateOptions {
  /** Cases of a kind at most. */
  most: number;
  peers: boolean;
  /** Puts each page's title on top of its content, as importers do. */
  titlesInContent: boolean;
  /** Shows progress to people. */
  tell: (line: string) => void;
}

/** Indexes a site into a new project and measures it. */
export async function evaluateSite(service: Service, site: SiteData, options: EvaluateOptions): Promise<SiteResult> {
  const indexed = await indexSite(service, site, options.titlesInContent);
  options.tell(`${site.name}: ${site.pages.length} pages indexed in ${indexed.seconds.toFixed(1)} s`);
  return measureSite(service, indexed, site, options);
}

/** Asks every case of an indexed site over HTTP, and peers beside it if they are wanted. */
export async function measureSite(
  service: Service,
  indexed: IndexedSite,
  site: SiteData,
  options: EvaluateOptions,
): Promise<SiteResult> {
  const ask = (kind: CaseKind): Promise<Asked> =>
    askAll(service, indexed, isQuestion(kind) ? 'semantic-search' : 'suggest', spread(site[kind], options.most));
  const searchesByKind: SiteResult['searchesByKind'] = {
    ...(await takeOff(service, indexed, site, options, (cases) => askAll(service, indexed, 'suggest', cases))),
    redirects: await ask('redirects'),
    typos: await ask('typos'),
    queries: await ask('queries'),
    meant_paths: await ask('meant_paths'),
    meant_questions: await ask('meant_questions'),
    probes: await askAll(
      service,
      indexed,
      'suggest',
      PROBES.map((input) => ({ input, right: [], kind: 'probe' })),
    ),
  };
  const ranks = options.peers
    ? await rankPeers(await buildPeers(service, indexed.projectId, site.pages), searchesByKind, options.tell)
    : undefined;
  const section = (kind: CaseKind, keep: (testCase: Case) => boolean = () => true): Section => {
    const kept = searchesByKind[kind].cases.flatMap((testCase, i) => (keep(testCase) ? [i] : []));
    const cases = kept.map((i) => searchesByKind[kind].cases[i] as Case);
    const answers = kept.map((i) => searchesByKind[kind].answers[i] ?? []);
    return {
      ...measureThresholds({ cases, answers }),
      lists: {
        at_default: measureList(cases, answers, DEFAULT_THRESHOLD),
        at_list: measureList(cases, answers, LIST_THRESHOLD),
        suits: adviseList(cases, answers),
      },
      ...(ranks
        ? {
            peers: Object.fromEntries(
              ranks[kind].map(({ name, ranks: all }) => [name, measureRanks(kept.map((i) => all[i] ?? 0))]),
            ),
          }
        : {}),
    };
  };
  const byOverlap = OVERLAP_CLASSES.map(
    (name) => [name, section('redirects', (testCase) => overlapClass(testCase.overlap ?? 0) === name)] as const,
  );
  const kinds = redirectKinds(searchesByKind.redirects.cases);
  const byKind = REDIRECT_KINDS.map((name) => {
    const kept = kinds.flatMap((kind, i) => (kind === name ? [i] : []));
    return [
      name,
      measureRanks(
        kept.map((i) =>
          rankOf(searchesByKind.redirects.cases[i]?.right ?? [], searchesByKind.redirects.answers[i] ?? []),
        ),
      ),
    ] as const;
  });
  const halfKnown = await measureHalfKnown(service, indexed, site, options.most);
  const paths = [searchesByKind.redirects, searchesByKind.typos].flatMap(({ cases, answers }) =>
    outcomesOf(cases, answers),
  );
  const [redirects, typos, takenOff] = [
    section('redirects'),
    section('typos'),
    measureThresholds(searchesByKind.taken_off),
  ];
  const mixture = measureMixture([redirects, typos, takenOff]);
  return {
    site,
    searchesByKind,
    measures: {
      redirects: {
        ...redirects,
        by_overlap: Object.fromEntries(byOverlap.filter(([, { n }]) => n > 0)),
        by_kind: Object.fromEntries(byKind.filter(([, { n }]) => n > 0)),
      },
      ...(halfKnown ? { half_known: halfKnown } : {}),
      typos,
      taken_off: takenOff,
      deleted: measureThresholds(searchesByKind.deleted),
      ...(mixture ? { mixture } : {}),
      queries: section('queries'),
      meant_paths: section('meant_paths'),
      meant_questions: section('meant_questions'),
      probes: measureThresholds(searchesByKind.probes),
      reliability: reliabilityOf(paths),
    },
  };
}

/** The measures at the default threshold, and what would be redirected. */
function measureThresholds({ cases, answers }: Asked): Measures & Required<Pick<Section, 'at_redirect'>> {
  const { answered, precision1 } = measure(cases, answers, REDIRECT_THRESHOLD);
  return { ...measure(cases, answers, DEFAULT_THRESHOLD), at_redirect: { answered, precision1 } };
}

/** Asks for half of the redirects, imports the other half, and asks again. */
async function measureHalfKnown(
  service: Service,
  indexed: IndexedSite,
  { redirects }: SiteData,
  most: number,
): Promise<HalfKnown | undefined> {
  const { known, heldOut } = halve(redirects);
  if (known.length < MIN_KNOWN) return undefined;
  const cases = spread(heldOut, most);
  const before = await askAll(service, indexed, 'suggest', cases);
  await importCases(service, indexed.projectId, known);
  const { answers } = await askAll(service, indexed, 'suggest', cases);
  return {
    ...measureThresholds({ cases, answers }),
    cold: measureRanks(cases.map(({ right }, i) => rankOf(right, before.answers[i] ?? []))),
    reliability: reliabilityOf(outcomesOf(cases, answers)),
  };
}

/** For each kind and peer, the rank of the right page of each case, 0 for none. */
async function rankPeers(
  peers: readonly Peer[],
  searchesByKind: SiteResult['searchesByKind'],
  tell: EvaluateOptions['tell'],
): Promise<Record<CaseKind, { name: string; ranks: number[] }[]>> {
  const ranked = Object.fromEntries(CASE_KINDS.map((kind) => [kind, []])) as unknown as Record<
    CaseKind,
    { name: string; ranks: number[] }[]
  >;
  for (const peer of peers) {
    const startedAt = performance.now();
    for (const kind of CASE_KINDS) {
      if (isQuestion(kind) && !peer.takesQuestions) continue;
      const ranks: number[] = [];
      for (const { input, right } of searchesByKind[kind].cases) {
        const ranking = await peer.rank({ text: input, isPath: !isQuestion(kind) });
        ranks.push(ranking.findIndex(({ path }) => right.includes(path)) + 1);
      }
      ranked[kind].push({ name: peer.name, ranks });
    }
    tell(`  ${peer.name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
  return ranked;
}
