import type { DeadLink, DeadLinks } from './dead-links.js';
import { random } from './seeded.js';

/** A visitor's request for a missing page, or a question in the site's search box. */
export interface Visit {
  /** Counted from 0, in the order of time. */
  number: number;
  at: Date;
  asks: { link: DeadLink } | { question: string; meant: string | null };
  userAgent: string;
  ip: string;
  /** Whether a person is there, who may click. */
  clicks: boolean;
  /** 0 to 1: the visitor's own chance, by which a click is decided. */
  luck: number;
}

export interface VisitPlan {
  links: DeadLinks;
  questions: readonly { question: string; meant: string | null }[];
  /** The end of the last day. */
  end: Date;
  seed: number;
}

const DAYS = 30;
/** From ten on this day until nine on that one (UTC) the blog's links are broken. */
const RELEASE_DAY = 12;
const REPAIR_DAY = 19;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
];
const SEARCH_ENGINES = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
];
const ASSISTANTS = [
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
];
const SCANNERS = ['python-requests/2.32.3', 'Mozilla/5.0 zgrab/0.x', 'Go-http-client/1.1'];

/** How many come on a usual day. */
const PER_DAY = { old: 62, gaps: 11, release: 54, questions: 16, searchEngines: 34, assistants: 9, probes: 21 };

/** A month of visits, in the order of time: the same for the same seed and end. No address is a real visitor's. */
export function planVisits({ links, questions, end, seed }: VisitPlan): Visit[] {
  const chance = random(seed);
  const visits: Omit<Visit, 'number'>[] = [];
  const begin = end.getTime() - DAYS * DAY_MS;
  const one = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T;
  /** The first of a list comes up most: the n-th with a weight of 1/n, about. */
  const early = <T>(list: readonly T[]): T => list[Math.floor((list.length + 1) ** chance()) - 1] as T;
  const add = (day: number, asks: Visit['asks'], userAgent: string, network: string, clicks = false): void => {
    const at = new Date(begin + (day - 1) * DAY_MS + timeOfDay(chance, clicks));
    visits.push({ at, asks, userAgent, ip: `${network}.${1 + Math.floor(chance() * 250)}`, clicks, luck: chance() });
  };
  const byPerson = (day: number, asks: Visit['asks']): void => {
    add(day, asks, one(BROWSERS), one(['198.51.100', '203.0.113']), true);
  };
  for (let day = 1; day <= DAYS; day++) {
    const busy = 0.8 + 0.4 * chance();
    const times = (what: keyof typeof PER_DAY, work: () => void): void => {
      for (let left = Math.round(PER_DAY[what] * busy); left > 0; left--) work();
    };
    times('old', () => {
      byPerson(day, { link: early(links.old) });
    });
    times('gaps', () => {
      byPerson(day, { link: early(links.gaps) });
    });
    if (day >= RELEASE_DAY && day <= REPAIR_DAY)
      times('release', () => {
        byPerson(day, { link: one(links.release) });
      });
    // Afterwards the broken links are in search engines and bookmarks.
    if (day > REPAIR_DAY)
      for (let left = 4; left > 0; left--)
        byPerson(day, { link: { ...one(links.release), referrer: 'https://www.google.com/' } });
    times('questions', () => {
      byPerson(day, early(questions));
    });
    times('searchEngines', () => {
      add(day, { link: { ...one(links.old), referrer: null } }, one(SEARCH_ENGINES), '192.0.2');
    });
    times('assistants', () => {
      add(day, { link: { ...one([...links.old, ...links.gaps]), referrer: null } }, one(ASSISTANTS), '192.0.2');
    });
    times('probes', () => {
      add(day, { link: one(links.probes) }, one([...SCANNERS, ...BROWSERS]), '192.0.2');
    });
  }
  const [from, to] = [begin + (RELEASE_DAY - 1) * DAY_MS + 10 * HOUR_MS, repairTime(end).getTime()];
  return visits
    .filter(
      ({ at, asks }) =>
        !('link' in asks) || !links.release.includes(asks.link) || (at.getTime() >= from && at.getTime() < to),
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map((visit, number) => ({ number, ...visit }));
}

/** When the blog's links were repaired. */
export function repairTime(end: Date): Date {
  return new Date(end.getTime() - (DAYS - REPAIR_DAY + 1) * DAY_MS + 9 * HOUR_MS);
}

/** People sleep. */
function timeOfDay(chance: () => number, isPerson: boolean): number {
  const part = isPerson ? 0.35 + 0.6 * ((chance() + chance()) / 2) : chance();
  return Math.floor(part * DAY_MS);
}
