import { recordChange, type Actor } from '../accounts/actor.js';
import type { Clock } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Db } from '../platform/database/db.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { findProject } from '../projects/store/projects.js';
import { lockProject } from '../projects/turns.js';
import { ALL_PATHS, type PathFilter } from '../sources/path-filter.js';
import { isWeb } from '../sources/source.js';
import { parsePageUrl } from '../text/page-url.js';
import { shownSource } from './record-run.js';
import {
  deleteProjectSource,
  findProjectSource,
  storeProjectSource,
  type ProjectSource,
  type SourceKind,
} from './store/project-sources.js';
import { cancelSyncRuns } from './store/run-turns.js';
import { deleteUploads, findUpload } from './store/uploads.js';

export interface SourceDeps {
  /** The database with the rows of all projects. */
  db: Db;
  queue: JobQueue;
  clock: Clock;
}

/** The source that a person or the operator sets for a project. */
export interface SourceChoice {
  kind: SourceKind;
  /** A url or a path; ignored for an upload, whose file store-upload.ts has stored. */
  source: string;
  /** Root url of the site, for sources with relative urls; absent: keep the current one. */
  base?: string | null;
  /** The seconds between two syncs; null: syncs only on request. */
  every_seconds: number | null;
  prune: boolean;
  /** Whether an administrator of all projects allows the url to lead to private addresses. */
  allows_inside?: boolean;
  /** The paths that are read; absent: keep the current ones of the same source. */
  filter?: PathFilter;
}

export const MIN_EVERY_SECONDS = 900;
export const MAX_EVERY_SECONDS = 90 * 86_400;
const MAX_SOURCE = 2_000;

export { findProjectSource as readSource };

/**
 * Sets the source of a project; null removes it. A new source cancels the runs of the previous one. With
 * `every_seconds` it is synced within a minute, then at that interval.
 * @param by only an actor without a login (the operator) may set a path; the operator's url may lead to private
 *   addresses
 * @throws ApiError with the field: kind, base, source or every_seconds
 */
export async function setSource(
  { db, clock }: Pick<SourceDeps, 'db' | 'clock'>,
  projectId: string,
  choice: SourceChoice | null,
  by: Actor,
): Promise<ProjectSource | undefined> {
  const isOperator = by.method === null;
  const wanted = choice && { ...choice, ...checkChoice(choice, isOperator) };
  return inTransaction(db, async (trx) => {
    await lockProject(trx, projectId);
    const project = await findProject(trx, projectId);
    if (!project) return undefined;
    const before = await findProjectSource(trx, projectId);
    const at = new Date(clock.now());
    if (!wanted) {
      if (before) await recordChange(trx, by, project, 'source removed', shownSource(before.source));
      await deleteProjectSource(trx, projectId);
      await deleteUploads(trx, projectId);
      await cancelSyncRuns(trx, projectId, 'The source was removed.', at);
      return undefined;
    }
    const source = wanted.kind === 'upload' ? (await findUpload(trx, projectId))?.name : wanted.source;
    if (source === undefined) throw invalid('source', 'No file was uploaded yet.');
    const isSame = before?.kind === wanted.kind && before.source === source;
    if (before && !isSame) await cancelSyncRuns(trx, projectId, 'Another source took its place.', at);
    if (wanted.kind !== 'upload') await deleteUploads(trx, projectId);
    const { filter, ...rest } = wanted;
    const { include, exclude } = filter ?? (isSame ? before : ALL_PATHS);
    const after: ProjectSource = {
      ...rest,
      include,
      exclude,
      source,
      base: wanted.base === undefined ? (isSame ? before.base : null) : wanted.base,
      guarded: wanted.kind === 'url' && !isOperator && wanted.allows_inside !== true && (!isSame || before.guarded),
      follows_links: isSame ? before.follows_links : null,
      set_by: by.who,
      set_at: at,
      next_at: nextTime(wanted.every_seconds, isSame ? before : undefined, at),
    };
    await storeProjectSource(trx, projectId, after);
    const action = wanted.allows_inside === true ? 'private address allowed' : 'source set';
    await recordChange(trx, by, project, action, describeSource(after));
    return after;
  });
}

/** Describes a source for logs and people, without the secret parts of a url. */
export function describeSource({ source, every_seconds, prune, include, exclude }: ProjectSource): string {
  const every = every_seconds === null ? 'when somebody asks for it' : `every ${writeEvery(every_seconds)}`;
  const filter = [
    ...include.map((pattern) => `, only ${pattern}`),
    ...exclude.map((pattern) => `, without ${pattern}`),
  ];
  return `${shownSource(source)}, ${every}${prune ? ', deletes what is gone' : ''}${filter.join('')}`;
}

const UNITS = Object.entries({ d: 86_400, h: 3_600, m: 60 });

/** Formats an interval, such as `1d`, `12h` or `90m`. */
export function writeEvery(seconds: number): string {
  const [unit, size] = UNITS.find(([, unitSeconds]) => seconds % unitSeconds === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

function nextTime(every: number | null, before: ProjectSource | undefined, at: Date): Date | null {
  if (every === null) return null;
  const next = before?.every_seconds == null ? undefined : before.next_at;
  return next === undefined || next === null ? at : new Date(Math.min(next.getTime(), at.getTime() + every * 1_000));
}

/** @throws ApiError */
function checkChoice({ kind, source, base, every_seconds: every }: SourceChoice, isOperator: boolean) {
  if (every !== null && !(Number.isInteger(every) && every >= MIN_EVERY_SECONDS && every <= MAX_EVERY_SECONDS))
    throw invalid('every_seconds', 'A source is synced every 15 minutes at most, and every 90 days at least.');
  if (base != null && !parsePageUrl(base))
    throw invalid('base', 'This is not the url of a site, such as https://www.example.com/.');
  if (kind === 'upload') {
    if (every !== null)
      throw invalid('every_seconds', 'An uploaded file does not change: it is synced when it is uploaded.');
    return { source: '' };
  }
  const text = source.trim();
  if (text.length > MAX_SOURCE) throw invalid('source', `The source has more than ${MAX_SOURCE} characters.`);
  if (kind === 'url') {
    const url = isWeb(text) ? parsePageUrl(text) : undefined;
    if (!url)
      throw invalid('source', 'This is not the url of a site. It must begin with https:// and have no password.');
    return { source: url.href };
  }
  if (!isOperator)
    throw invalid('source', 'Give the url of a site, such as https://www.example.com, or upload a file.');
  if (text === '' || text === '-' || text.includes('\0')) throw invalid('source', 'The source is no file or folder.');
  return { source: text };
}
