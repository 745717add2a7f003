import { setTimeout as pause } from 'node:timers/promises';

/** Waits for something to become true, asking again and again; fails by name when it does not within `ms`. */
export async function until(what: string, condition: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await pause(20);
  }
}
