import { MiniSearchIndex } from '../../../eval/peers/minisearch.js';
import { ANSWERS, pageBatches, type BuildEngine } from './engine.js';

/** MiniSearch as in the comparison of quality. */
export const buildMiniSearch: BuildEngine = async ({ files }) => {
  const index = new MiniSearchIndex();
  for await (const { from, pages } of pageBatches(files, 1_000)) index.add(pages, from);
  return { search: (input) => index.search(input, ANSWERS) };
};
