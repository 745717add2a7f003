import { resolve } from 'node:path';
import { onCommandLine } from '../../accounts/actor.js';
import { systemClock } from '../../base/clock.js';
import { OperatorError } from '../../base/errors.js';
import type { Db } from '../../platform/database/db.js';
import { isWeb } from '../../sources/source.js';
import { readSource, setSource, writeEvery } from '../../sync/project-source.js';
import { shownSource } from '../../sync/record-run.js';
import type { ProjectSource } from '../../sync/store/project-sources.js';
import { parseDuration } from '../shared/parse-duration.js';

export interface SourceCommandOptions {
  source?: string;
  base?: string;
  every?: string;
  prune?: boolean;
}

const DEFAULT_EVERY = '1d';

export function changesSource({ source, base, every, prune }: SourceCommandOptions): boolean {
  return source !== undefined || base !== undefined || every !== undefined || prune !== undefined;
}

/** Sets or removes the source of a project, or changes when and how it is synced. */
export async function changeSource(db: Db, projectId: string, { source, base, every, prune }: SourceCommandOptions) {
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
  };
  return setSource(deps, projectId, choice, onCommandLine());
}

async function readGiven(source: string): Promise<Pick<ProjectSource, 'kind' | 'source'>> {
  if (isWeb(source)) return { kind: 'url', source };
  // Readers of HTML and XML take a fifth of a second to load.
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
        set_by: source.set_by,
        next_at: source.next_at?.toISOString() ?? null,
      }
    : null;
}
