/**
 * Takes pictures of the console's pages at two widths, light and dark, of a demo that it starts (dist must be built),
 * or of a service that runs:
 *
 *   node .build/scripts/browser/screenshots.js [--out screenshots] [--only overview,inbox]
 *   node .build/scripts/browser/screenshots.js --url http://localhost:8081/console --email E --password P
 *
 * Ends with code 1 where a page is wider than the screen. `--docs docs/images` makes the pictures of the documents
 * instead; for that it decides about some paths of the demo.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openTab, startBrowser } from '../../test/support/browser.js';
import { type RunningDemo, startDemo } from './start-demo.js';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8081/console' },
    email: { type: 'string', default: 'demo@example.com' },
    password: { type: 'string', default: '' },
    out: { type: 'string', default: 'screenshots' },
    only: { type: 'string' },
    docs: { type: 'string' },
  },
});
const demo = values.password === '' ? await startDemo() : undefined;
const { url, email, password } = demo ?? values;
const { out } = values;
const only = values.only?.split(',');

/** The pages of a project, by the name of their picture. Pages outside a project are listed where they are taken. */
const OF_PROJECT: Readonly<Record<string, string>> = {
  overview: '',
  inbox: '/inbox',
  'inbox-choose': '/inbox/choose?path=/grinders/ember-handgrinder',
  'missing-path': '/inbox/path?path=/courses/home-barista-training',
  redirects: '/redirects',
  'redirect-edit': '/redirects/edit?path=/help/*&action=redirect&target=/support/:splat',
  'redirect-proposals': '/redirects/proposals',
  'redirect-map': '/redirects/map',
  'redirect-dry-run': '/redirects/dry-run',
  'redirect-transfer': '/redirects/transfer',
  'redirect-check': '/redirects/check',
  'redirect-history': '/redirects/history',
  pages: '/pages',
  syncs: '/pages/syncs',
  'pages-none': '/pages?url=nothing-like-it',
  'pages-found': '/pages?url=grinder',
  'pages-missed': '/pages?order=missed',
  'try-start': '/try',
  try: '/try?input=/support/machines/fellside-eror-code-list&threshold=0.5',
  'try-question': '/try?kind=query&input=my+grinder+hums+but+does+not+turn&threshold=0.3',
  analytics: '/analytics',
  'analytics-redirects': '/analytics/redirects',
  'analytics-links': '/analytics/links',
  'analytics-searches': '/analytics/searches',
  'analytics-usage': '/analytics/usage',
  watch: '/watch',
  connect: '/connect?dead=/suport/grinder-problems',
  settings: '/settings',
};

const tooWide: string[] = [];
const browser = await startBrowser();
await mkdir(values.docs ?? out, { recursive: true });
if (values.docs !== undefined) {
  const { page, close } = await openTab(browser, { width: 1280 });
  await logIn(page);
  await page.goto(`${url}/p/demo`);
  await page.screenshot({ path: join(values.docs, 'overview.png') });
  await page.goto(`${url}/p/demo/inbox`);
  for (let row = 0; row < 10; row++) await page.keyboard.press('g');
  await page.waitForLoadState('networkidle');
  await page.reload({ waitUntil: 'networkidle' });
  await page.screenshot({ path: join(values.docs, 'inbox.png') });
  await close();
  if (demo) await shootNotFound(demo, join(values.docs, 'not-found.png'));
}
const sizes = [
  [1280, false],
  [360, false],
  [1280, true],
  [360, true],
] as const;
for (const [width, dark] of values.docs === undefined ? sizes : []) {
  const { page, close } = await openTab(browser, { width, dark });
  const shoot = async (name: string, path: string): Promise<void> => {
    if (only && !only.includes(name)) return;
    await page.goto(url + path);
    // Scripts may fetch more after the page has loaded.
    await page.waitForLoadState('networkidle');
    const file = join(out, `${name}-${width}${dark ? '-dark' : ''}.png`);
    await page.screenshot({ path: file, fullPage: true });
    const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    if (wide) tooWide.push(file);
    console.log(file);
  };
  await shoot('login', '/login');
  await logIn(page);
  await shoot('all-projects', '/');
  await shoot('new', '/new');
  await shoot('account', '/account');
  await shoot('audit', '/audit');
  for (const [name, path] of Object.entries(OF_PROJECT)) await shoot(name, `/p/demo${path}`);
  await page.goto(`${url}/p/demo/pages`);
  const first = (await page.locator('tbody a').first().getAttribute('href')) ?? '';
  await shoot('page', first.slice(new URL(url).pathname.length));
  await close();
}
await browser.close();
await demo?.stop();
if (tooWide.length > 0) {
  console.error(`Wider than the screen: ${tooWide.join(', ')}`);
  process.exitCode = 1;
}

async function logIn(page: Page): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(`${url}/`);
}

/** The page that a web server shows in place of its own 404 page. */
async function shootNotFound({ api, run }: RunningDemo, file: string): Promise<void> {
  const { key } = JSON.parse(await run('key', 'create', '--project', 'demo', '--mode', 'test', '--json')) as {
    key: string;
  };
  const { page, close } = await openTab(browser, { width: 760 });
  await page.setViewportSize({ width: 760, height: 534 });
  await page.setExtraHTTPHeaders({ authorization: `Bearer ${key}` });
  await page.goto(`${api}/v1/not-found?url=/support/machines/cleaning-your-grinder`);
  await page.screenshot({ path: file });
  await close();
}
