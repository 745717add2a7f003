import { resolve } from 'node:path';
import { onCommandLine } from '../../accounts/actor.js';
import { systemClock } from '../../base/clock.js';
import { OperatorError } from '../../base/errors.js';
import type { Db } from '../../platform/database/db.js';
import { ALL_PATHS, parsePatterns, type PathFilter } from '../../sources/path-filter.js';
import { isWeb } from '../../sources/source.js';
import { readSource, setSource, writeEvery } from '../../sync/project-source.js';
import { shownSource } from '../../sync/record-run.js';
import type { ProjectSource } from '../../sync/store/project-sources.js';
import { parseDuration } from '../shared/context.js';

export interface SourceCommandOptions {
  source?: string;
  base?: string;
  every?: string;
  prune?: boolean;
  include?: string[];
  exclude?: string[];
}

const DEFAULT_EVERY = '1d';

export function changesSource({ source, base, every, prune, include, exclude }: SourceCommandOptions): boolean {
  return [source, base, every, prune, include, exclude].some((option) => option !== undefined);
}

/** Reads the patterns of paths; `--exclude ''` leaves none out. @throws ApiError */
export function readFilter({ include = [], exclude = [] }: SourceCommandOptions): PathFilter {
  return { include: parsePatterns(include.join(' '), 'include'), exclude: parsePatterns(exclude.join(' '), 'exclude') };
}

/** Sets or removes the source of a project, or changes when and how it is synced. */
export async function changeSource(db: Db, projectId: string, options: SourceCommandOptions) {
  const { source, base, every, prune } = options;
  const deps = { db, clock: systemClock };
  if (source === '') {
    if (every !== undefined || prune) throw new OperatorError("--source '' removes the source: it has no time.");
    return setSource(deps, projectId, null, onCommandLine());
  }
  const before = await readSource(db, projectId);
  if (source === undefined && !before) throw new OperatorError('The project has no source yet: give --source.');
  const from = source === undefined && before ? before : await readGiven(source ?? '');
  const kept = source === undefined ? before?.every_seconds : undefined;
  const seconds =
    every === undefined && kept !== undefined ? kept : parseDuration(every ?? DEFAULT_EVERY, '--every') / 1_000;
  const choice = {
    ...from,
    ...(base !== undefined && { base: base === '' ? null : base }),
    every_seconds: seconds,
    prune: prune ?? (source === undefined && before?.prune === true),
    ...((options.include ?? options.exclude) && { filter: changedFilter(before, options) }),
  };
  return setSource(deps, projectId, choice, onCommandLine());
}

/** Replaces the patterns for which there is an option, and keeps the others. */
function changedFilter(before: PathFilter = ALL_PATHS, options: SourceCommandOptions): PathFilter {
  const { include, exclude } = readFilter(options);
  return {
    include: options.include === undefined ? before.include : include,
    exclude: options.exclude === undefined ? before.exclude : exclude,
  };
}

async function readGiven(source: string): Promise<Pick<ProjectSource, 'kind' | 'source'>> {
  if (isWeb(source)) return { kind: 'url', source };
  // This is loaded only here: readers of HTML and XML take a fifth of a second to load.
  await (await import('../../sources/open-source.js')).kindOf(source);
  return { kind: 'path', source: resolve(source) };
}

/** A source as commands print it. */
export function describeForCommand(source: ProjectSource | undefined) {
  return source
    ? {
        from: shownSource(source.source),
        every: source.every_seconds === null ? null : writeEvery(source.every_seconds),
        prune: source.prune,
        include: source.include,
        exclude: source.exclude,
        set_by: source.set_by,
        next_at: source.next_at?.toISOString() ?? null,
      }
    : null;
}
