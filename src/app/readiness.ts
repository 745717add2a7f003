import { setTimeout as sleep } from 'node:timers/promises';
import {
  isConnectionRefused,
  isDatabaseUnavailable,
  isDiskFull,
  sqlState,
} from '../platform/database/session/database-errors.js';
import type { Logger } from '../base/logger.js';

export interface ReadinessChecks {
  /** The database answers, accepts writes, and has this release's schema. */
  schema: () => Promise<boolean>;
  /** The statements of a search succeed. */
  search: () => Promise<boolean>;
  model: () => Promise<boolean>;
}

/** Longer than any healthy check takes. */
const MAX_CHECK_MS = 3_000;

export interface Readiness {
  checks: Record<keyof ReadinessChecks, boolean>;
  /** Of the failed checks. */
  reasons: Partial<Record<keyof ReadinessChecks, string>>;
}

const NAMES = ['schema', 'search', 'model'] as const;
const DEFAULT_REASONS: Record<keyof ReadinessChecks, string> = {
  schema: 'the schema is not of this release, or the database takes no writes',
  search: 'a search fails',
  model: 'the model is not loaded',
};

/**
 * Runs all checks and waits at most three seconds. Requests that come at the same time share a check in flight. A
 * failure is logged once, with its detail; `/readyz` needs no key and shows none.
 */
export function createReadiness(checks: ReadinessChecks, logger: Logger): () => Promise<Readiness> {
  const inFlight = new Map<string, Promise<string | undefined>>();
  const logged = new Map<string, string>();

  async function ask(name: keyof ReadinessChecks): Promise<string | undefined> {
    try {
      return (await checks[name]()) ? undefined : DEFAULT_REASONS[name];
    } catch (error) {
      const reason = withoutDetail(error);
      if (logged.get(name) !== reason) logger.error('not ready', { check: name, error });
      logged.set(name, reason);
      return reason;
    }
  }

  function checkOnce(name: keyof ReadinessChecks): Promise<string | undefined> {
    const known = inFlight.get(name);
    if (known) return known;
    const asked = ask(name).finally(() => inFlight.delete(name));
    inFlight.set(name, asked);
    return asked;
  }

  return async () => {
    const late = new AbortController();
    const timeout = sleep(MAX_CHECK_MS, `no answer within ${MAX_CHECK_MS / 1_000} s`, {
      signal: late.signal,
    }).catch(() => undefined);
    const found = await Promise.all(
      NAMES.map(async (name) => [name, await Promise.race([checkOnce(name), timeout])] as const),
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

/** The command line's text (src/cli/shared/describe-failure.ts) would show the database server's name. */
function withoutDetail(error: unknown): string {
  if (isDiskFull(error)) return 'the database has no space left on its disk';
  if (isConnectionRefused(error))
    return 'the database takes no more connections: a limit is reached (of the role, the database or the server), or it starts';
  if (isDatabaseUnavailable(error)) return 'the database cannot be reached';
  const state = sqlState(error);
  return state === undefined
    ? 'it fails; the log says how'
    : `the database refuses it (SQLSTATE ${state}); the log says more`;
}
