import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import * as diagnosis from '../store/diagnosis.js';
import { duration, graded, ok, problem, size, warning, type Finding } from './finding.js';

/** The values from which on something is a warning or a problem, in seconds or bytes. */
export const LIMITS = {
  queueSeconds: { warning: 300, problem: 3_600 },
  transactionSeconds: { warning: 300, problem: 3_600 },
  lockSeconds: { warning: 10, problem: 120 },
  replicaSeconds: { warning: 10, problem: 300 },
  replicaBytes: { warning: 64e6, problem: 1e9 },
  slotBytes: 1e9,
};
export type Limits = typeof LIMITS;

/** Checks for jobs that wait for too long, and for jobs that were given up. */
export async function checkQueue(db: Db, { queueSeconds }: Limits): Promise<Finding[]> {
  const queues = await diagnosis.readQueues(db);
  const late = queues
    .filter(({ age }) => age >= queueSeconds.warning)
    .map(({ name, waiting, active, age }) => {
      const message = `${waiting} jobs wait in ${name}, the oldest for ${duration(age)}; ${active} are in work`;
      return active === 0
        ? problem('queue', message, 'No worker takes them: start `serve --role worker`, and read its log.')
        : { check: 'queue', level: graded(age, queueSeconds), message, action: 'Start more workers, or wait.' };
    });
  const failed = queues
    .filter((queue) => queue.failed > 0)
    .map(({ name, failed: jobs }) =>
      warning('queue', `${jobs} jobs of ${name} were given up after their last try`, "Read the worker's log."),
    );
  const findings = [...late, ...failed];
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  return findings.length > 0 ? findings : [ok('queue', `${waiting} jobs wait, none for long`)];
}

const MAX_PROJECTS = 5;

export async function checkPages(db: Db): Promise<Finding> {
  const failing = await diagnosis.findFailingProjects(db, MAX_PROJECTS);
  if (failing.length === 0) return ok('pages', 'none is in ERROR');
  return warning(
    'pages',
    `Pages in ERROR: ${failing.map(({ project, pages }) => `${pages} of ${JSON.stringify(project)}`).join(', ')}`,
    '`pages list --project P --status ERROR` says why; what is pushed again is tried again.',
  );
}

export async function checkIndexes(db: Db): Promise<Finding[]> {
  const invalid = await diagnosis.findInvalidIndexes(db);
  const broken = await diagnosis.findBrokenOwnIndexes(db);
  const findings = [
    ...invalid.map((name) =>
      problem(
        'indexes',
        `The index ${name} is not valid: it costs writes and helps no search`,
        name.startsWith('pathmend_segments.')
          ? 'The next maintenance drops it, within the hour, if a worker runs.'
          : `\`reindex index concurrently ${name}\``,
      ),
    ),
    ...broken.map((project) =>
      problem(
        'indexes',
        `The project ${JSON.stringify(project)} lacks one of its own indexes: its searches read every row`,
        'A worker builds them anew with the next maintenance, within the hour.',
      ),
    ),
  ];
  return findings.length > 0 ? findings : [ok('indexes', 'all are valid')];
}

/** Checks for long transactions and waits for locks, among the sessions that the role may see. */
export async function checkLocks(db: Db, seesAll: boolean, limits: Limits): Promise<Finding[]> {
  const { transactionSeconds, lockSeconds } = limits;
  const long = (await diagnosis.findLongTransactions(db, transactionSeconds.warning)).map(
    ({ pid, role, program, state, seconds }) => ({
      check: 'locks',
      level: graded(seconds, transactionSeconds),
      message: `A transaction of ${role} (${program || 'no name'}${pid > 0 ? `, pid ${pid}` : ''}, ${state}) is open for ${duration(seconds)}: dead rows stay, and migrations wait`,
      action: pid > 0 ? `End it, or \`select pg_terminate_backend(${pid})\`.` : `\`rollback prepared '${program}'\``,
    }),
  );
  const waits = (await diagnosis.findLockWaits(db, lockSeconds.warning)).map(({ pid, blockers, seconds }) => ({
    check: 'locks',
    level: graded(seconds, lockSeconds),
    message: `The session ${pid} waits for a lock of ${blockers.join(', ') || 'a session that is gone'} for ${duration(seconds)}`,
    action:
      blockers.length > 0
        ? `See what holds it: \`select * from pg_stat_activity where pid in (${blockers.join(', ')})\`.`
        : 'It should go on by itself: run doctor again.',
  }));
  const findings = [...long, ...waits];
  if (findings.length > 0) return findings;
  return [ok('locks', `nobody waits, no transaction is old${seesAll ? '' : ', as far as this role sees'}`)];
}

/** Checks the replicas that follow, and the slots that keep the log of a replica that does not. */
export async function checkReplicas(db: Db, limits: Limits): Promise<Finding[]> {
  const replicas = await diagnosis.readReplicas(db);
  const findings = replicas.map(({ name, state, bytes, seconds }): Finding => {
    if (state === null)
      return warning(
        'replication',
        `${name} follows, and this role may not see how far`,
        'Grant it `pg_read_all_stats`.',
      );
    const [behindBytes, behindSeconds] = [bytes ?? 0, seconds ?? 0];
    const message = `${name} is ${state}, ${size(behindBytes)} and ${duration(behindSeconds)} behind`;
    const levels = [graded(behindSeconds, limits.replicaSeconds), graded(behindBytes, limits.replicaBytes)];
    const action = 'Look at its disk, its network, and whether its replay is paused (`select pg_wal_replay_resume()`).';
    if (levels.includes('problem')) return problem('replication', message, action);
    return levels.includes('warning') ? warning('replication', message, action) : ok('replication', message);
  });
  const idle = (await diagnosis.findIdleSlots(db)).map(({ name, bytes }): Finding => ({
    check: 'replication',
    level: bytes > limits.slotBytes ? 'problem' : 'warning',
    message: `Nobody uses the slot ${name}, for which ${size(bytes)} of the log are kept: the disk will fill`,
    action: `Bring its replica or reader back, or \`select pg_drop_replication_slot('${name}')\`.`,
  }));
  return replicas.length + idle.length > 0 ? [...findings, ...idle] : [ok('replication', 'no replica follows')];
}

const WEEK_MS = 7 * 86_400_000;

/** Checks that the partitions of next week exist: maintenance makes them two weeks ahead. */
export async function checkPartitions(db: Db, clock: Clock): Promise<Finding> {
  const missing = await diagnosis.findMissingWeeks(db, new Date(clock.now() + WEEK_MS));
  if (missing.length === 0) return ok('partitions', 'those of next week are there');
  const message = `The partitions of next week are missing: ${missing.join(', ')}`;
  return problem('partitions', message, 'Maintenance makes them each hour: start a worker, and read its log.');
}
