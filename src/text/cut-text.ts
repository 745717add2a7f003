/** The first `max` UTF-16 units of a text at most, never half of a surrogate pair. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, wholeCut(text, max));
}

/** `at`, or the place before it where a cut would part a surrogate pair. */
export function wholeCut(text: string, at: number): number {
  const parted = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return parted ? at - 1 : at;
}
