import { query, sql } from '../platform/database/sql.js';
import type { Db, Trx } from '../platform/database/db.js';

/**
 * A lock until the transaction's end, for everything that writes a project's learned redirects or learns from them. So
 * a count of clicks sees all other clicks, and the later of two learning runs reads the later redirects. To avoid
 * deadlocks, lock several projects in the order of their ids.
 */
export async function lockRedirects(trx: Trx, projectId: string): Promise<void> {
  await sql`
    insert into pathmend.turns (project_id, what)
    select project_id, 'learned_redirects' from pathmend.projects where project_id = ${projectId}
    on conflict (project_id, what) do update set what = excluded.what`.execute(trx);
}

/**
 * Has the project's deletion wait for the transaction. Returns false if it is deleted already. A transaction that locks
 * pages does this first. Else the deletion holds the project and waits for the pages, while the transaction that has
 * them waits for the project: with an import at work the deletion lost four such deadlocks in a row.
 */
export async function makeDeletionWait(trx: Trx, projectId: string): Promise<boolean> {
  const project = trx.selectFrom('pathmend.projects').select('project_id').where('project_id', '=', projectId);
  return (await project.forKeyShare().executeTakeFirst()) !== undefined;
}

/** Waits for transactions that store searches and events of the project, and has later ones wait for this one. */
export async function lockProject(trx: Trx, projectId: string): Promise<void> {
  const project = trx.selectFrom('pathmend.projects').select('project_id').where('project_id', '=', projectId);
  await project.forUpdate().execute();
}

/**
 * Runs `work`, which builds a project's indexes, unless another process builds them: two would drop each other's
 * unfinished indexes. `work` gets the session that holds the lock. An abort cancels the running statement: otherwise
 * the server would build for minutes after its client is gone, and hold the lock.
 */
export async function withBuildLock(
  db: Db,
  projectId: string,
  work: (session: Db) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  await db.connection().execute(async (session) => {
    // A lock of an ended session is taken over. If this role may not see when a session began, it counts as alive.
    const mine = await query(sql<{ pid: number }>`
      insert into pathmend.turns as t (project_id, what, pid, session_began)
      select p.project_id, 'index_segments', a.pid, a.backend_start
        from pathmend.projects p join pg_stat_activity a on a.pid = pg_backend_pid()
       where p.project_id = ${projectId}
      on conflict (project_id, what) do update set pid = excluded.pid, session_began = excluded.session_began
       where not exists (select from pg_stat_activity a
                          where a.pid = t.pid and coalesce(a.backend_start = t.session_began, true))
      returning pid`).first(session);
    if (!mine) return;
    let cancelled: Promise<unknown> = Promise.resolve();
    const cancel = (): void => {
      cancelled = sql`select pg_cancel_backend(${mine.pid})`.execute(db).catch(() => undefined);
    };
    signal?.addEventListener('abort', cancel);
    try {
      await work(session);
    } catch (error) {
      // Rather than that a statement was cancelled.
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      // Else it might cancel the next statement: the lock would stay with a session that lives on.
      await cancelled;
      await sql`
        delete from pathmend.turns
         where project_id = ${projectId} and what = 'index_segments' and pid = ${mine.pid}`.execute(session);
    }
  });
}
