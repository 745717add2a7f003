import { mapYielding } from '../../base/map-yielding.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { parseSource } from '../../rule-formats/read/source-address.js';
import { compileRules } from '../../rule-formats/write/compile.js';
import { readRedirects } from '../import-export/rules-for-servers.js';
import { moveConfidence } from '../learned/weigh-section-moves.js';
import { scopeOf } from '../rule.js';
import { listPageUrls } from '../store/page-urls.js';
import { MAX_EVIDENCE, type Learned } from './section-rules.js';

/**
 * Wildcards that are exact for all known redirects and shadow no page. It takes seconds of the thread: a service has
 * `learnWildcardsApart`.
 * @throws OperatorError if there are too many redirects
 */
export async function learnWildcards({ db, projectId }: Tenant): Promise<Learned[]> {
  const { known, wildcards, patterns, goneBelow } = await readRedirects(db, projectId);
  const own = [...wildcards, ...patterns];
  const given = new Set(own.map(({ path }) => path));
  const { rules } = await compileRules(known, own, listPageUrls(db, projectId), { goneBelow });
  const cases = new Map<string, { support: number; evidence: Learned['evidence'] }>(
    rules.flatMap(({ path, rest }) =>
      rest === undefined || given.has(path) ? [] : [[path, { support: 0, evidence: [] }]],
    ),
  );
  await mapYielding(known, ({ path, url, active }) => {
    const source = active ? (parseSource(path)?.path ?? '') : '';
    for (let at = source.indexOf('/', 1); at > 0; at = source.indexOf('/', at + 1)) {
      const found = cases.get(source.slice(0, at + 1));
      if (!found) continue;
      found.support++;
      if (found.evidence.length < MAX_EVIDENCE) found.evidence.push({ from: path, to: url });
    }
  });
  return rules.flatMap(({ path, to, rest }): Learned[] => {
    const found = cases.get(path);
    if (!found || rest === undefined) return [];
    const target = rest === 'kept' ? `${to}:splat` : to;
    const confidence = moveConfidence(found.support, 0);
    return [{ ...scopeOf(`${path}*`, true), target, source: 'redirects', contradictions: 0, confidence, ...found }];
  });
}
