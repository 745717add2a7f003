import pg from 'pg';

/** Begins the text of a statement whose plan is kept; its name follows. */
const MARK = '/* kept ';
const NAME = 16;

/**
 * The text of a statement that a {@link PlanKeepingClient} plans once for all its values.
 *
 * @param hash tells it from other statements by its first 16 characters.
 */
export function keepingItsPlan(text: string, hash: string): string {
  return `${MARK}${hash.slice(0, NAME)} */ ${text}`;
}

/**
 * Where a kept plan is made without knowing its values, which project is asked for is one of them: it must not rest on
 * a project's size. So it reaches rows through an index that begins with the project, even where most of a table is
 * expected to be one project's; what else could go wrong with it, the statement's own text rules out
 * (queries/look-up.ts, queries/search/scans.ts).
 */
const BEGIN = 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off';
const END = 'reset plan_cache_mode; reset enable_seqscan';
/** What says how a session works, and is not planned. */
const SETTING = /^(set|reset) /;

/** A kept plan is thrown away after this: the tables that it was made for may have grown since, from nothing at all. */
const FRESH_MS = 10_000;

/**
 * A session that keeps the plans of the statements that ask for it. PostgreSQL plans each statement anew, for which it
 * looks at all indexes of a table, those of other projects' segments too: a fifth of the time of a small site's
 * question, and three quarters beside three hundred segments (docs/benchmarks.md). Other statements find the session as
 * if there were none.
 */
export class PlanKeepingClient extends pg.Client {
  private keeps = false;
  private plannedAt = 0;

  override query = ((...asked: [text: unknown, values?: unknown, callback?: unknown]): unknown => {
    const [text, values] = asked;
    if (typeof text !== 'string' || !text.startsWith(MARK)) {
      if (this.keeps && !(typeof text === 'string' && SETTING.test(text))) this.turn(END);
      return this.send(...asked);
    }
    const now = performance.now();
    if (!this.keeps) this.turn(BEGIN);
    if (now - this.plannedAt > FRESH_MS) {
      this.plannedAt = now;
      this.ahead('discard plans');
    }
    return this.send({ name: text.slice(MARK.length, MARK.length + NAME), text, values }, undefined, asked[2]);
  }) as pg.Client['query'];

  private turn(settings: typeof BEGIN | typeof END): void {
    this.keeps = settings === BEGIN;
    this.ahead(settings);
  }

  /** In one flight with what comes next, which fails as well where the connection is broken. */
  private ahead(text: string): void {
    this.send(text).catch(() => undefined);
  }

  private send(...asked: unknown[]): Promise<unknown> {
    return (super.query as (...asked: unknown[]) => Promise<unknown>).apply(this, asked);
  }
}
