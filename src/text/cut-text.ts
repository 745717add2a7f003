/** Cuts a text to `max` UTF-16 units, and never through a surrogate pair. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, findSafeCut(text, max));
}

/** `at`, or the index before it if a cut at `at` would split a surrogate pair. */
export function findSafeCut(text: string, at: number): number {
  const splitsPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return splitsPair ? at - 1 : at;
}
