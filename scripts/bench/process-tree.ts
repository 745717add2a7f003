import { readdir, readFile } from 'node:fs/promises';

export interface Running {
  pid: number;
  /** Its words, with blanks between. */
  command: string;
}

/** The children of a process, and theirs. */
export async function processesBelow(pid: number): Promise<Running[]> {
  const parents = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name of the program, in brackets, may hold anything.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const below = (one: number): number[] => (parents.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return Promise.all(
    below(pid).map(async (child) => ({
      pid: child,
      command: (await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '),
    })),
  );
}
