import type { RequestListener } from 'node:http';
import express from 'express';
import type { Config } from '../platform/settings/config.js';
import { checkPort, startServer } from '../http/server.js';
import { requestContext } from '../http/request-context.js';
import { createLoginAttempts, createLoginAudit } from '../accounts/login.js';
import { createOpenIdProvider } from '../accounts/single-sign-on/openid-provider.js';
import { createPasswords } from '../accounts/credentials.js';
import { createProxyHeader } from '../accounts/single-sign-on/person.js';
import type { Db } from '../platform/database/db.js';
import { Bulkhead } from '../platform/limits/bulkhead.js';
import { readAssets } from './assets.js';
import type { ConsoleDeps, Mountable, SharedDeps } from './shared/console-page.js';
import { SuggestionsAhead } from './inbox/suggestions-ahead.js';
import { defaultConsoleUrl } from '../platform/settings/console-settings.js';
import { mountPages } from './shared/mount-pages.js';
import { accountPage, invitationPage } from './sign-in/account-page.js';
import { analyticsNotFoundsPage } from './analytics/not-founds-page.js';
import { analyticsLinksPage, analyticsRedirectsPage } from './analytics/redirects-and-links.js';
import { analyticsSearchesPage } from './analytics/searches-page.js';
import { analyticsUsagePage } from './analytics/usage-page.js';
import { connectPage, newProjectPage } from './connect/connect-page.js';
import { auditPage } from './audit-page.js';
import { inboxChoosePage } from './inbox/choose-page.js';
import { inboxJudgePage } from './inbox/judge-page.js';
import { inboxPreviewPage } from './inbox/preview-page.js';
import { inboxPage } from './inbox/inbox-page.js';
import { missingPathPage } from './inbox/path-page.js';
import { loginPage, logoutPage, signOnCallbackPage, signOnPage } from './sign-in/login-page.js';
import { overviewPage } from './overview-page.js';
import { projectsPage } from './projects-page.js';
import { redirectCheckPage, redirectDryRunPage } from './redirects/check-page.js';
import { redirectHistoryPage } from './redirects/history-page.js';
import { redirectMapPage } from './redirects/map-page.js';
import { redirectProposalsPage } from './redirects/proposals-page.js';
import { redirectTransferPage } from './redirects/transfer-page.js';
import { redirectEditPage } from './redirects/edit-rule-page.js';
import { redirectsPage } from './redirects/redirects-page.js';
import { settingsPage } from './settings/settings-page.js';
import { sitePagePage } from './site/page-page.js';
import { sitePagesPage } from './site/pages-page.js';
import { syncRunPage, syncRunsPage } from './site/sync-runs-page.js';
import { tryPage } from './try-page.js';
import { createMailer } from '../watch/mail.js';
import { watchPage } from './watch-page.js';

const SIGN_IN = [loginPage, signOnPage, signOnCallbackPage, logoutPage, invitationPage, accountPage];
const INBOX = [inboxPage, inboxJudgePage, inboxChoosePage, inboxPreviewPage, missingPathPage];
const RULES = [redirectsPage, redirectEditPage, redirectProposalsPage, redirectMapPage, redirectDryRunPage];
const RULE_FILES = [redirectTransferPage, redirectCheckPage, redirectHistoryPage];
// The page of one page is last: its path fits those of syncs, too.
const SITE = [sitePagesPage, syncRunsPage, syncRunPage, sitePagePage];
const ANALYTICS = [analyticsNotFoundsPage, analyticsRedirectsPage, analyticsLinksPage, analyticsSearchesPage];

/** All pages; those of a project in the order of the navigation. */
export const PAGES: readonly Mountable[] = [
  ...[...SIGN_IN, auditPage, projectsPage, newProjectPage, overviewPage, ...INBOX, ...RULES, ...RULE_FILES],
  ...[...SITE, tryPage, ...ANALYTICS, analyticsUsagePage, watchPage, connectPage, settingsPage],
];

type ConsoleConfig = Pick<
  Config,
  'consolePort' | 'consoleUrl' | 'signOn' | 'host' | 'databasePool' | 'mail' | 'webhookNetworks' | 'eventRetentionDays'
>;

/** Checks that the port is free, before the slow parts start. @throws OperatorError as {@link startConsole} would. */
export async function checkConsole({ consolePort, host }: Pick<ConsoleConfig, 'consolePort' | 'host'>): Promise<void> {
  await checkPort(consolePort ?? 0, host, 'CONSOLE_PORT');
}

/**
 * Serves the console on a port of its own.
 * @param db a connection that sees the rows of all projects.
 * @param apiUrl where this process serves the API
 * @returns the server, and the url at which people open the console: CONSOLE_URL, or its default.
 * @throws OperatorError when the port is taken.
 */
export async function startConsole(
  shared: SharedDeps,
  db: Db,
  apiUrl: string,
  { consolePort, consoleUrl, host, databasePool, signOn, mail, webhookNetworks, eventRetentionDays }: ConsoleConfig,
) {
  let listening = consoleUrl ?? defaultConsoleUrl(consolePort ?? 0);
  const parts = {
    ...shared,
    db,
    apiUrl,
    passwords: createPasswords(),
    loginAttempts: createLoginAttempts(),
    loginAudit: createLoginAudit(db, shared.logger),
    passwordLogin: signOn.passwordLogin,
    consoleUrl: () => listening,
    openId: signOn.openId && createOpenIdProvider(signOn.openId, shared.logger),
    openIdRoles: signOn.openId?.roles ?? [],
    readProxyHeader: signOn.proxy && createProxyHeader(signOn.proxy),
    eventRetentionDays,
    webhookNetworks,
    sendsMail: mail !== undefined,
    sendMail: mail && createMailer(mail),
  };
  const deps: ConsoleDeps = { ...parts, suggestionsAhead: new SuggestionsAhead(parts) };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', deps.trustedProxies);
  const base = new URL(listening).pathname.replace(/\/$/, '');
  const assets = await readAssets();
  assets.mount(app, base);
  // People wait for the console, visitors for the API: it takes half of the connections at most.
  const bulkhead = (slots: number, maxSustained: number): Bulkhead => {
    const waiting = { maxInBurst: 2 * maxSustained, maxSustained, burstMs: 1_000 };
    return new Bulkhead({ slots, waiting, maxWaitMs: 10_000 });
  };
  const slots = bulkhead(Math.max(1, Math.floor(databasePool / 2)), 64);
  const slotsOfOthers = bulkhead(16, 32);
  mountPages(app, { deps, base, assets, slots, slotsOfOthers }, PAGES);
  const begin = requestContext(deps.logger, deps.metrics);
  const serve: RequestListener = (request, response) => {
    begin(request, response, performance.now());
    app(request, response);
  };
  const setting = 'CONSOLE_PORT';
  const server = await startServer(serve, consolePort ?? 0, host, deps.drain, undefined, { setting });
  if (consoleUrl === undefined) listening = defaultConsoleUrl(Number(new URL(server.url).port));
  return { ...server, consoleUrl: listening };
}
