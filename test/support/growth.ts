/**
 * The pieces that hostile texts repeat: whatever our patterns, normalizers and splitters look for, and what comes close
 * to it.
 */
export const UNITS = [
  ...'/* ¦a¦A¦aA¦a1¦7¦0¦-¦_¦.¦/¦//¦/.¦../¦\\¦ ¦\t¦\n¦\r\n¦\u2028¦&¦&amp¦&amp;¦?¦?a=¦#¦ #¦;¦;a=¦=¦%¦%4¦%41'.split('¦'),
  ...'%25¦%2525¦%ff¦%e2%82¦\'¦a\'¦\'a¦"¦(¦)¦[¦{"a":¦<¦!¦. ¦.   ¦...¦# ¦\n# ¦```\n¦~~~¦---¦***¦$.¦a.¦a-'.split('¦'),
  ..."a-1.¦www.¦http://¦a@¦20260101¦2026-01-01-¦index¦/page/1¦ss¦ies¦ing¦union ¦' or 1¦= 1¦e¦é¦e\u0301".split('¦'),
  ...'\u0301¦\u0301\u0316¦ß¦İ¦ﬁ¦ﷺ¦\u200b¦\u200d¦\u00ad¦漢¦か¦ｶ¦ｶﾞ¦ก¦က¦한¦ا¦न्¦😀¦👩‍👩‍👧¦1\u20e3¦a漢¦漢a¦word '.split('¦'),
  ...'Word. ¦zq¦aé-'.split('¦'),
];
/** Ends that no pattern matches, so that a pattern that can backtrack does. */
const ENDS = ['', '!', '\u2028!', '\n!', '\0'];

export const repeated = (unit: string, length: number, end: string): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length - end.length) + end;

/**
 * Eight times the text may take 24 times the work: twice the text then takes 2.9 times, where a square takes 4 and 64.
 */
export const LONGER = 8;
export const MOST = 24;
/** Times below this, in milliseconds of processor time, measure the garbage collector instead. */
export const LEAST_MS = 0.5;

/** Processor time of all threads: how busy the machine is otherwise does not count. */
export function spent(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function work(task: () => void): number {
  const before = process.cpuUsage();
  task();
  return spent(before);
}

/**
 * Returns how many times more work a text of `most` characters takes than an eighth of it, for the worst text, and the
 * unit and end of that text.
 */
export function worstGrowth(most: number, task: (text: string) => void, ends = ENDS): { growth: number; text: string } {
  let worst = { growth: 0, text: '' };
  for (const unit of UNITS) {
    for (const end of ends) {
      const [short, long] = [repeated(unit, most / LONGER, end), repeated(unit, most, end)];
      let growth = Infinity;
      // Compiling and garbage collection count, too, but they do not fall into twelve tries in a row.
      for (let tries = 0; tries < 12 && growth > MOST; tries++) {
        growth = Math.min(
          growth,
          work(() => {
            task(long);
          }) /
            Math.max(
              LEAST_MS,
              work(() => {
                task(short);
              }),
            ),
        );
      }
      if (growth > worst.growth) worst = { growth, text: JSON.stringify(unit + end) };
    }
  }
  return worst;
}

/** Runs `work`, which may refuse its input: the time until a refusal counts, too. */
export function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // Refused.
  }
}
