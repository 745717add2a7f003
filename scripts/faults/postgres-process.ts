import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Sends signals to the processes of a PostgreSQL server on this machine. */
export interface PostgresProcess {
  /** Acts as `pg_ctl stop -m immediate`: nothing is written, no session is ended in order. Resolves after its end. */
  quit: () => Promise<void>;
  /** Kills all processes at once, as if the machine lost its power. */
  kill: () => Promise<void>;
  /** Stops all processes, as if the machine hung: connections stay, and nobody answers. */
  freeze: () => void;
  thaw: () => void;
}

/** Finds the server's first process: the parent of the process that answers this connection. */
export async function postgresProcess(url: string): Promise<PostgresProcess> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const parent = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  if (parent === undefined) throw new Error('the server does not run on this machine');
  return {
    quit: async () => {
      process.kill(parent, 'SIGQUIT');
      while (alive(parent)) await pause(20);
    },
    kill: async () => {
      const all = [parent, ...childrenOf(parent)];
      signal(all, 'SIGKILL');
      while (all.some(alive)) await pause(20);
    },
    // The first process is stopped first: it would start others.
    freeze: () => {
      signal([parent], 'SIGSTOP');
      signal(childrenOf(parent), 'SIGSTOP');
    },
    thaw: () => {
      signal([...childrenOf(parent), parent], 'SIGCONT');
    },
  };
}

/** Signals processes; one that has ended meanwhile needs no signal. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** A zombie counts as dead, although its parent has not waited for it. */
function alive(pid: number): boolean {
  const status = statusOf(pid);
  return status !== '' && !/^State:\s+Z/m.test(status);
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
