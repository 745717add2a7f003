import { requireUuid } from '../../../text/uuid.js';
import { createHash } from 'node:crypto';

/** The settings of a server's session. */
export interface SessionSettings {
  projectId?: string | undefined;
  withinMs?: number | undefined;
  generic?: boolean;
}

/** The extent of a setting: it holds until the end of the session (empty), or of the transaction (`local`). */
export type Extent = '' | 'local';

/** Settings of PostgreSQL for each connection. The server accepts or refuses all values of one object together. */
export interface ConnectionSettings {
  values: Readonly<Record<string, string>>;
  /** The settings concern the connection to the client: behind a pooler, the pooler makes them. */
  isOfConnection?: boolean;
}

/** The server ends a statement this long after its caller's deadline. */
const GRACE_MS = 1_000;

/** Returns the statement for one group of {@link ConnectionSettings}. */
export function setStatement({ values }: ConnectionSettings, extent: Extent = ''): string {
  const calls = Object.entries(values).map(
    ([name, value]) => `set_config('${name}', '${value}', ${String(extent === 'local')})`,
  );
  return `select ${calls.join(', ')}`;
}

/** Returns the statements that change a session's settings; empty when they are already as wanted. */
export function settingsFrom(before: SessionSettings, wanted: SessionSettings, extent: Extent = ''): string[] {
  const { projectId, withinMs, generic = false } = wanted;
  const settings: string[] = [];
  if (before.projectId !== projectId)
    settings.push(projectId === undefined ? 'reset role; reset pathmend.project' : becomeTenant(projectId, extent));
  if (before.withinMs !== withinMs)
    settings.push(
      withinMs === undefined ? 'reset statement_timeout' : `set ${extent} statement_timeout = ${withinMs + GRACE_MS}`,
    );
  if ((before.generic ?? false) !== generic) settings.push(generic ? planGenerically(extent) : CUSTOM);
  return settings;
}

/**
 * A generic plan is made without the statement's values. The project is one of them, so the plan must not depend on a
 * project's size. Without sequential scans it reads rows through an index that begins with the project, even where one
 * project is expected to own most of a table. The statements' own text prevents other bad plans
 * (joinLookup in sql.ts, src/search/store/space.ts).
 */
function planGenerically(extent: Extent): string {
  return `set ${extent} plan_cache_mode = force_generic_plan; set ${extent} enable_seqscan = off`;
}

const CUSTOM = 'reset plan_cache_mode; reset enable_seqscan';

/** Limits a session, or with `local` a transaction, to one project's rows by row level security. */
function becomeTenant(projectId: string, extent: Extent): string {
  return `set ${extent} role pathmend_tenant; set ${extent} pathmend.project = '${requireUuid(projectId)}'`;
}

/** Generic plans are discarded at this age: their tables may have grown from nothing since. */
const MAX_PLAN_AGE_MS = 10_000;
/** The number of hexadecimal digits of a statement's hash. */
const NAME_LENGTH = 16;

/** Returns the name under which a statement is prepared. */
export function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_LENGTH);
}

/**
 * Returns the statement that discards the session's plans, when they are old. Behind a pooler the statement may meet
 * another session than the last time. All connections send it, so that a session's plans grow as old on average.
 */
export function plansAreOld({ plans }: { plans: { from: number } }): string[] {
  if (performance.now() - plans.from <= MAX_PLAN_AGE_MS) return [];
  plans.from = performance.now();
  return ['discard plans'];
}
