import type { ProposalRow } from '../store/rule-proposals.js';
import type { LearnableRedirect, SectionRedirectRow } from '../store/section-redirects.js';
import { NUMBER } from '../../rule-formats/read/read-rule.js';
import { parsePageUrl } from '../../text/page-url.js';
import { isNumber, joinSegments, plainPath, splitPath } from '../../text/paths/plain-path.js';
import { kindOf } from '../rule-meaning.js';
import { scopeOf, type RuleScope } from '../rule.js';
import { ruleOf } from '../rule-keys.js';
import { groupBy } from '../../base/group-by.js';
import { mapYielding } from '../../base/map-yielding.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { parseSource } from '../../rule-formats/read/source-address.js';
import { lintRedirects } from '../../rule-formats/lint-redirects.js';
import { prefixesOf } from '../../rule-formats/write/wildcards.js';
import { readRedirects } from '../import-export/rules-for-servers.js';
import { sectionConfidence } from '../learned/weigh-section-redirects.js';
import { listPageUrls } from '../store/page-urls.js';
import { findFolders } from './find-folders.js';

/** The maximum number of cases of each rule that are shown to the person who decides. */
export const MAX_EVIDENCE = 5;

/** A rule with what speaks for it. */
export type Learned = RuleScope &
  Pick<ProposalRow, 'target' | 'source' | 'support' | 'contradictions' | 'confidence' | 'evidence'>;

/**
 * Makes rules of section redirects. Section redirects have plain paths; how the paths are spelled is read from the
 * learned redirects that show them.
 */
export function spellSections(sections: readonly SectionRedirectRow[], redirects: readonly LearnableRedirect[]) {
  const shown = findCases(sections, redirects);
  return sections.flatMap((section): Learned[] => {
    const { old_prefix, new_prefix, support, contradictions, confidence } = section;
    const [example] = shown.get(section) ?? [];
    // The empty prefix is the beginning of every path.
    if (!example || old_prefix === '') return [];
    const isPattern = old_prefix.includes('#');
    const { tail } = example;
    const spelled = [beginning(example.old_path, tail, isPattern), old_prefix.replaceAll('#', NUMBER)];
    const path = spelled.map((prefix) => `${prefix ?? ''}/*`).find((spelling) => isScope(spelling, old_prefix));
    if (path === undefined) return [];
    const url = parsePageUrl(example.url);
    const target = url && beginning(url.path, tail, false);
    return [
      {
        ...scopeOf(path),
        target: target === undefined ? `${new_prefix}/:splat` : `${new URL(example.url).origin}${target}/:splat`,
        source: 'sections',
        support,
        contradictions,
        confidence,
        evidence: (shown.get(section) ?? []).map(({ old_path, url: to }) => ({ from: old_path, to })),
      },
    ];
  });
}

interface Case {
  old_path: string;
  url: string;
  /** The number of plain segments after the prefix. */
  tail: number;
}

function findCases(sections: readonly SectionRedirectRow[], redirects: readonly LearnableRedirect[]) {
  const byPrefix = groupBy(sections, ({ old_prefix }) => old_prefix);
  const bySection = new Map<SectionRedirectRow, Case[]>();
  for (const { old_path, url } of redirects) {
    const to = joinSegments(plainPath(parsePageUrl(url)?.path ?? '/').segments);
    const { segments } = plainPath(old_path);
    for (const { prefix, tail } of splitPath(segments)) {
      for (const section of byPrefix.get(prefix) ?? []) {
        const cases = bySection.get(section) ?? [];
        if (to !== section.new_prefix + tail || cases.length >= MAX_EVIDENCE) continue;
        bySection.set(section, [...cases, { old_path, url, tail: tail.split('/').length - 1 }]);
      }
    }
  }
  return bySection;
}

/**
 * Cuts the last `tail` segments off a path, as it is spelled; undefined if its plain form has another number of
 * segments.
 */
function beginning(path: string, tail: number, anyNumber: boolean): string | undefined {
  const bare = parsePageUrl(path)?.path ?? path;
  const segments = (bare.split(/[?#]/)[0] ?? '').split('/').filter((segment) => segment !== '');
  if (segments.length !== plainPath(path).segments.length) return undefined;
  const prefix = segments.slice(0, segments.length - tail);
  return prefix.map((segment) => `/${anyNumber && isNumber(segment) ? NUMBER : segment}`).join('');
}

function isScope(path: string, oldPrefix: string): boolean {
  try {
    return ruleOf({ path, kind: kindOf(path), action: 'ignore', target: null }).prefix === oldPrefix;
  } catch {
    // Some paths make no scope, such as a prefix with a number next to `:number`.
    return false;
  }
}

/**
 * Learns wildcards where many redirects are one folder that moved, and no page is below it. It keeps the thread busy
 * for seconds: a service calls `learnWildcardsInThread`.
 * @throws OperatorError if there are too many redirects
 */
export async function learnWildcards({ db, projectId }: Tenant): Promise<Learned[]> {
  const stored = await readRedirects(db, projectId);
  const { checked } = await lintRedirects(stored.known, stored);
  const folders = await findFolders(checked, stored.below, listPageUrls(db, projectId));
  const cases = new Map(folders.map(({ path }) => [path, { support: 0, evidence: [] as Learned['evidence'] }]));
  await mapYielding(stored.known, ({ path, url, active }) => {
    const source = active ? (parseSource(path)?.path ?? '') : '';
    for (const prefix of prefixesOf(source)) {
      const folder = cases.get(prefix);
      if (!folder) continue;
      folder.support++;
      if (folder.evidence.length < MAX_EVIDENCE) folder.evidence.push({ from: path, to: url });
    }
  });
  return folders.map(({ path, to, rest }): Learned => {
    const { support, evidence } = cases.get(path) ?? { support: 0, evidence: [] };
    return {
      ...scopeOf(`${path}*`),
      target: rest === 'kept' ? `${to}:splat` : to,
      source: 'redirects',
      support,
      contradictions: 0,
      confidence: sectionConfidence(support, 0),
      evidence,
    };
  });
}
