import { getPriority, setPriority } from 'node:os';

/** The niceness of threads for which no request waits. With 19, a thread gets hardly any time on a busy machine. */
const BACKGROUND = 10;

/**
 * Lowers the priority of this thread. A process that was started with a lower one (`nice`, systemd's `Nice=`) keeps it:
 * raising it needs a right. On Linux alone, a priority applies to one thread and not to the whole process.
 */
export function lowerPriority(): void {
  if (process.platform === 'linux' && getPriority() < BACKGROUND) setPriority(BACKGROUND);
}
