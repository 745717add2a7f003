import { setTimeout as pause } from 'node:timers/promises';

/** Between two questions: a tenth of what was waited already, so that long waits cost few of them. */
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [10, 100];

/** Waits for something to become true, asking again and again; fails by name when it does not within `ms`. */
export async function until(what: string, condition: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
  const began = Date.now();
  while (!(await condition())) {
    const waited = Date.now() - began;
    if (waited > ms) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await pause(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waited / 10)));
  }
}
