const MAX_REMEMBERED = 1_000;
const MAX_TIMES = 3;
const WITHIN_MS = 10_000;

/**
 * @typedef {object} LoopGuard
 * @property {(visitor: string, path: string) => boolean} mayRedirect notes a redirect, and says whether it may be made
 */

/**
 * A page to which visitors are redirected may redirect back: by a rule of the site, or because it is gone, too. A
 * visitor who comes to the same path for the fourth time within ten seconds gets the suggestions. Browsers follow 20.
 * @returns {LoopGuard}
 */
export function createLoopGuard() {
  /** @type {Map<string, { since: number, times: number }>} the oldest first */
  const redirected = new Map();
  return {
    mayRedirect: (visitor, path) => {
      const key = `${visitor}\n${path}`;
      const now = Date.now();
      const recentRedirects = redirected.get(key);
      if (recentRedirects && now - recentRedirects.since < WITHIN_MS) {
        recentRedirects.times += 1;
        return recentRedirects.times <= MAX_TIMES;
      }
      redirected.delete(key);
      redirected.set(key, { since: now, times: 1 });
      if (redirected.size > MAX_REMEMBERED) redirected.delete(redirected.keys().next().value ?? '');
      return true;
    },
  };
}
