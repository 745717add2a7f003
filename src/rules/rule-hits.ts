import type { Db } from '../platform/database/db.js';
import { addRuleHits, type RuleHit } from './store/rule-history.js';
import type { Logger } from '../base/logger.js';

export type RuleHits = ReturnType<typeof createRuleHits>;

const FLUSH_AFTER_MS = 1_000;
/**
 * The maximum number of rules, of all projects, whose hits wait at once. While the database is away, the hits of
 * further rules are lost.
 */
const MAX_WAITING = 10_000;
const MAX_ROWS_PER_STATEMENT = 1_000;

/**
 * Counts the answers that rules decided, without delaying them. Hits are summed up for a second and stored in one
 * statement; a crash loses at most these.
 */
export function createRuleHits(db: Db, logger: Logger) {
  let waiting = new Map<string, RuleHit>();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function keep(hit: RuleHit): void {
    const id = `${hit.projectId} ${hit.ruleKey}`;
    const before = waiting.get(id);
    if (!before && waiting.size >= MAX_WAITING) lost += hit.hits;
    else waiting.set(id, { ...hit, hits: hit.hits + (before?.hits ?? 0), at: Math.max(hit.at, before?.at ?? 0) });
  }

  async function write(): Promise<void> {
    const rows = [...waiting.values()];
    waiting = new Map();
    while (rows.length > 0) {
      const batch = rows.splice(0, MAX_ROWS_PER_STATEMENT);
      try {
        await addRuleHits(db, batch);
      } catch {
        for (const hit of [...batch, ...rows.splice(0)]) keep(hit);
        timer ??= setTimeout(() => void schedule(), FLUSH_AFTER_MS).unref();
        return;
      }
    }
    if (lost > 0) logger.error('hits of rules could not be stored', { lost });
    lost = 0;
  }

  function schedule(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return {
    add(projectId: string, ruleKey: Buffer, at: number): void {
      keep({ projectId, ruleKey: ruleKey.toString('hex'), hits: 1, at });
      timer ??= setTimeout(() => void schedule(), FLUSH_AFTER_MS);
    },
    /** Resolves when the hits added so far are stored, or cannot be stored now. */
    flush: schedule,
    /** Flushes for the last time. */
    stop: async () => {
      await schedule();
      clearTimeout(timer);
    },
  };
}
