import type { PathWords } from '../../base/glossary.js';
import { toUnitLength } from '../../embedding/pool-vectors.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';

/**
 * The vector of a dead path: the mean of those of all its words and of its last segment's. Most of what a path means
 * stands in that segment, and what its folders say counts, too: of redirects, .693 were found by content in place of
 * .546 by all words, of paths in visitors' own words .558 in place of .508 (docs/relevance.md). Of unit length, or all
 * zeros for a path without words.
 */
export async function embedPath(
  models: Pick<ModelRegistry, 'embedQuery'>,
  modelId: number,
  { words, slug }: PathWords,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const [all, last] = [words.join(' '), slug.join(' ')];
  const texts = last === '' || last === all ? [all] : [all, last];
  const vectors = await Promise.all(texts.map((text) => models.embedQuery(modelId, text, signal ? { signal } : {})));
  const [first = new Float32Array(), second] = vectors;
  return second ? toUnitLength(first.map((value, at) => value + (second[at] ?? 0))) : first;
}
