import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isDiskFull } from '../database/session/away.js';
import { sqlState } from '../database/session/connect.js';
import type { Logger } from '../logger.js';

/** What readiness asks. Each resolves to true, or to false, or rejects. */
export interface ReadinessChecks {
  /** The database answers, takes writes, and its schema is this release's. */
  schema: () => Promise<boolean>;
  /** The database answers what a search asks it. */
  search: () => Promise<boolean>;
  model: () => Promise<boolean>;
}

/** Longer than any of them takes where all is well. */
const ANSWERED_WITHIN_MS = 3_000;

export interface Readiness {
  checks: Record<keyof ReadinessChecks, boolean>;
  /** In words, of those that are false. */
  reasons: Partial<Record<keyof ReadinessChecks, string>>;
}

const NAMES = ['schema', 'search', 'model'] as const;
const FALSE: Record<keyof ReadinessChecks, string> = {
  schema: 'the schema is not of this release, or the database takes no writes',
  search: 'a search fails',
  model: 'the model is not loaded',
};

/**
 * Asks all of them, each once at a time however many want to know, and waits no longer than three seconds. The log has
 * what went wrong, once; who reads `/readyz` needs no key and learns no detail.
 */
export function createReadiness(checks: ReadinessChecks, logger: Logger): () => Promise<Readiness> {
  const underWay = new Map<string, Promise<string | undefined>>();
  const logged = new Map<string, string>();

  async function ask(name: keyof ReadinessChecks): Promise<string | undefined> {
    try {
      return (await checks[name]()) ? undefined : FALSE[name];
    } catch (error) {
      const reason = withoutDetail(error);
      if (logged.get(name) !== reason) logger.error('not ready', { check: name, error });
      logged.set(name, reason);
      return reason;
    }
  }

  function joined(name: keyof ReadinessChecks): Promise<string | undefined> {
    const known = underWay.get(name);
    if (known) return known;
    const asked = ask(name).finally(() => underWay.delete(name));
    underWay.set(name, asked);
    return asked;
  }

  return async () => {
    const late = new AbortController();
    const lateness = sleep(ANSWERED_WITHIN_MS, `no answer within ${ANSWERED_WITHIN_MS / 1_000} s`, {
      signal: late.signal,
    }).catch(() => undefined);
    const found = await Promise.all(
      NAMES.map(async (name) => [name, await Promise.race([joined(name), lateness])] as const),
    );
    late.abort();
    const wrong = found.filter((one): one is [(typeof one)[0], string] => one[1] !== undefined);
    if (wrong.length === 0) logged.clear();
    return {
      checks: Object.fromEntries(found.map(([name, reason]) => [name, reason === undefined])) as Readiness['checks'],
      reasons: Object.fromEntries(wrong),
    };
  };
}

/** The command line's words (src/cli/describe-failure.ts) would tell whoever asks the server's name. */
function withoutDetail(error: unknown): string {
  if (isDiskFull(error)) return 'the database has no space left on its disk';
  if (isDatabaseAway(error)) return 'the database cannot be reached';
  const state = sqlState(error);
  return state === undefined
    ? 'it fails; the log says how'
    : `the database refuses it (SQLSTATE ${state}); the log says more`;
}
