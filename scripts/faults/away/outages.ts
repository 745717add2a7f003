import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { postgresProcess } from '../postgres-process.js';
import type { Forwarder } from './forwarder.js';

/** Takes the database away; resolves when it is back. */
export type Outage = (seconds: number) => Promise<void>;

/**
 * Ways in which a database is away. stopped: ended at once (SIGQUIT to its first process), started again by a command.
 * hung: all its processes get SIGSTOP. dropped: the network drops every packet, then carries what it held. lost: the
 * same, but old connections stay dead for ever, and neither side is notified.
 */
export function outages(url: string, forwarder: Forwarder, restart: string | undefined): Record<string, Outage> {
  const drop = async (seconds: number, old: 'resumed' | 'forgotten'): Promise<void> => {
    forwarder.swallow();
    await pause(seconds * 1_000);
    forwarder.pass(old);
  };
  const stopped: Outage = async (seconds) => {
    await (await postgresProcess(url)).quit();
    await pause(seconds * 1_000);
    // Clients of this process ask meanwhile.
    await promisify(execFile)('bash', ['-c', restart ?? 'false']);
  };
  return {
    ...(restart === undefined ? {} : { stopped }),
    hung: async (seconds) => {
      const postgres = await postgresProcess(url);
      process.once('exit', postgres.thaw);
      postgres.freeze();
      await pause(seconds * 1_000);
      postgres.thaw();
      process.off('exit', postgres.thaw);
    },
    dropped: (seconds) => drop(seconds, 'resumed'),
    lost: (seconds) => drop(seconds, 'forgotten'),
  };
}
