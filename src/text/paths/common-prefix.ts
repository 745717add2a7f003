/** How many first segments two paths have in common, at most `max`. */
export function commonPrefix(a: readonly string[], b: readonly string[], max = a.length): number {
  let common = 0;
  while (common < max && common < b.length && a[common] === b[common]) common++;
  return common;
}
