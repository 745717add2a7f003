import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { packageRoot } from '#src/base/package-root.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Chromium, as scripts/browser/fetch.sh brings it where it is missing. PATHMEND_BROWSER names another. */
export async function startBrowser(): Promise<Browser> {
  const named = process.env['PATHMEND_BROWSER'];
  const program =
    named ??
    execFileSync(join(packageRoot(), 'scripts/browser/fetch.sh'), { encoding: 'utf8', timeout: 300_000 }).trim();
  if (!existsSync(program)) throw new Error(`There is no browser ${program}.`);
  return await chromium.launch({ executablePath: program, chromiumSandbox: false });
}

/**
 * Clicks what sends a form or follows a link, and waits for the page that answers: a click alone may return while the
 * old page is still shown, and a navigation that is asked for then fails, or reads the old one.
 */
export async function clickThrough(target: Locator): Promise<void> {
  await Promise.all([target.page().waitForEvent('load'), target.click()]);
}

/** Presses Tab until what is focused is called `name`: its aria-label, label, or text. At most two hundred times. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(
      `(({ activeElement: e }) => (e.getAttribute('aria-label') ?? e.labels?.[0]?.innerText ?? e.innerText ?? '').trim())(document)`,
    );
    if (focused === name) return;
    passed.push(focused);
  }
  throw new Error(`Tab does not come to ${name}, but to ${[...new Set(passed)].join(', ')}`);
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** The errors that the browser reported: of scripts, of the console, of the content security policy. */
  complaints: string[];
  /** Asks axe about the page as it stands; returns what is serious or worse, as texts. */
  axe: () => Promise<string[]>;
  close: () => Promise<void>;
}

/** A tab with a store of cookies of its own. */
export async function openTab(
  browser: Browser,
  options: { script?: boolean; width?: number; dark?: boolean } = {},
): Promise<Tab> {
  const { script = true, width = 1280, dark = false } = options;
  const context = await browser.newContext({
    javaScriptEnabled: script,
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    timezoneId: 'Europe/Berlin',
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium says this of every answer that is an error, which tests ask for on purpose.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status');
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    page,
    context,
    complaints,
    axe: async () => {
      // Through the protocol: the page's own policy lets no script in.
      await page.evaluate(await import('node:fs').then(({ readFileSync }) => readFileSync(axe, 'utf8')));
      const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    close: () => context.close(),
  };
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}
