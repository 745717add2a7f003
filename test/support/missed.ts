import type { TestConsole } from './console.js';
import type { TestProject } from './service.js';
import { query } from './sql.js';
import { until } from './until.js';

export interface Missed {
  path: string;
  /** The number of visits by `userAgent`, 1 by default. */
  times?: number;
  referrer?: string;
  userAgent?: string;
}

export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** Reports 404s of a project through the API, and waits until they are counted. */
export async function miss(site: TestConsole, project: TestProject, ...all: Missed[]): Promise<void> {
  const before = await hits(site, project);
  let sent = 0;
  for (const { path, times = 1, referrer, userAgent = BROWSER } of all)
    for (let time = 0; time < times; time++) {
      const event = {
        raw_path: path,
        user_agent: userAgent,
        origin: 'https://shop.example',
        referrer: referrer ?? null,
      };
      const { status, text } = await project.post('/v1/events', event);
      if (status !== 204) throw new Error(`an event was answered ${status}: ${text}`);
      sent += 1;
    }
  await until('the 404s are counted', async () => (await hits(site, project)) === before + sent);
}

async function hits({ service }: TestConsole, { row }: TestProject): Promise<number> {
  const sum = 'people + unknown + assistants + search_engines + robots + scanners';
  const [total] = await query<{ hits: string }>(
    service,
    `select coalesce(sum(${sum}), 0) as hits from pathmend.missing_paths where project_id = $1`,
    [row.project_id],
  );
  return Number(total?.hits ?? 0);
}
