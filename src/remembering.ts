/** V8 keeps the whole text alive behind a longer piece of it: one remembered word could hold a page of a megabyte. */
const COPIED_CHARACTERS = 12;

/**
 * A pure function of a short text that remembers its answers, up to so many: for what is asked of the same words again
 * and again. Full, it forgets everything and begins anew, which costs less than to know what was used last. Longer
 * texts are answered without it.
 */
export function remembering<Answer>(most: number, answer: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    if (text.length > COPIED_CHARACTERS) return answer(text);
    let found = known.get(text);
    if (found === undefined) {
      found = answer(text);
      if (known.size >= most) known.clear();
      known.set(text, found);
    }
    return found;
  };
}
