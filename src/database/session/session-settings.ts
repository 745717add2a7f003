import { requireUuid } from '../../text/uuid.js';

/** The settings of a server's session. */
export interface SessionSettings {
  projectId?: string | undefined;
  withinMs?: number | undefined;
  generic?: boolean;
}

/** The server ends a statement this long after its caller's deadline. */
const GRACE_MS = 1_000;

/**
 * A generic plan is made without the statement's values. The project is one of them, so the plan must not depend on a
 * project's size. Without sequential scans it reads rows through an index that begins with the project, even where one
 * project is expected to own most of a table. The statements' own text prevents other bad plans
 * (queries/lateral-joins.ts, queries/search/scans.ts).
 */
const GENERIC = 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off';
const CUSTOM = 'reset plan_cache_mode; reset enable_seqscan';

/** The statements that change a session's settings; empty when they are already as wanted. */
export function settingsFrom(before: SessionSettings, wanted: SessionSettings): string[] {
  const { projectId, withinMs, generic = false } = wanted;
  const settings: string[] = [];
  if (before.projectId !== projectId)
    settings.push(projectId === undefined ? 'reset role; reset pathmend.project' : becomeTenant(projectId));
  if (before.withinMs !== withinMs)
    settings.push(
      withinMs === undefined ? 'reset statement_timeout' : `set statement_timeout = ${withinMs + GRACE_MS}`,
    );
  if ((before.generic ?? false) !== generic) settings.push(generic ? GENERIC : CUSTOM);
  return settings;
}

/** Limits a session, or with `local` a transaction, to one project's rows by row level security. */
export function becomeTenant(projectId: string, extent: '' | 'local' = ''): string {
  return `set ${extent} role pathmend_tenant; set ${extent} pathmend.project = '${requireUuid(projectId)}'`;
}
