import { requireUuid } from '../../text/uuid.js';

/** How a session of a server is set while it works. */
export interface SessionSettings {
  /** It sees and writes the rows of this project only; undefined: those of all. */
  projectId?: string | undefined;
  /** The deadline of whoever waits for it. */
  withinMs?: number | undefined;
  /** Whether its statements are planned once for all their values, see generic-plan.ts. */
  generic?: boolean;
}

/** The server ends a statement so much later than whoever waits for it gives up: it would go on for nobody. */
const GRACE_MS = 1_000;

/**
 * A generic plan is made without knowing its values, which project is asked for is one of them: it must not rest on a
 * project's size. So it reaches rows through an index that begins with the project, even where most of a table is
 * expected to be one project's; what else could go wrong with it, the statement's own text rules out
 * (queries/lateral-joins.ts, queries/search/scans.ts).
 */
const GENERIC = 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off';
const CUSTOM = 'reset plan_cache_mode; reset enable_seqscan';

/** What makes a session that is set in one way set in another; empty where it is already. */
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

/** Makes a session, or only a transaction, work for one project's rows: row level security keeps it to them. */
export function becomeTenant(projectId: string, extent: '' | 'local' = ''): string {
  return `set ${extent} role pathmend_tenant; set ${extent} pathmend.project = '${requireUuid(projectId)}'`;
}
