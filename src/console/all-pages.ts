import type { Mountable } from './shared/console-page.js';
import { accountPage } from './sign-in/account-page.js';
import { analyticsLinksPage } from './analytics/links-page.js';
import { analyticsNotFoundsPage } from './analytics/not-founds-page.js';
import { analyticsRedirectsPage } from './analytics/redirects-page.js';
import { analyticsSearchesPage } from './analytics/searches-page.js';
import { analyticsUsagePage } from './analytics/usage-page.js';
import { auditPage } from './audit-page.js';
import { inboxChoosePage } from './inbox/choose-page.js';
import { inboxPreviewPage } from './inbox/preview-page.js';
import { inboxPage } from './inbox/inbox-page.js';
import { invitationPage } from './sign-in/invitation-page.js';
import { loginPage, logoutPage } from './sign-in/login-page.js';
import { overviewPage } from './overview-page.js';
import { projectsPage } from './projects-page.js';
import { redirectCheckPage } from './redirects/check-page.js';
import { redirectDryRunPage } from './redirects/dry-run-page.js';
import { redirectEditPage } from './redirects/edit-page.js';
import { redirectHistoryPage } from './redirects/history-page.js';
import { redirectProposalsPage } from './redirects/proposals-page.js';
import { redirectTransferPage } from './redirects/transfer-page.js';
import { redirectsPage } from './redirects/redirects-page.js';
import { settingsPage } from './settings/settings-page.js';
import { sitePagePage } from './site/page-page.js';
import { sitePagesPage } from './site/pages-page.js';
import { syncRunPage, syncRunsPage } from './site/sync-runs-page.js';
import { signOnCallbackPage, signOnPage } from './sign-in/single-sign-on.js';
import { tryPage } from './try-page.js';
import { watchPage } from './watch-page.js';

/** Those of a project in the order of the navigation. */
export const PAGES: readonly Mountable[] = [
  loginPage,
  signOnPage,
  signOnCallbackPage,
  logoutPage,
  invitationPage,
  accountPage,
  auditPage,
  projectsPage,
  overviewPage,
  inboxPage,
  inboxChoosePage,
  inboxPreviewPage,
  redirectsPage,
  redirectEditPage,
  redirectProposalsPage,
  redirectDryRunPage,
  redirectTransferPage,
  redirectCheckPage,
  redirectHistoryPage,
  sitePagesPage,
  // Before the page of one page, whose path fits, too.
  syncRunsPage,
  syncRunPage,
  sitePagePage,
  tryPage,
  analyticsNotFoundsPage,
  analyticsRedirectsPage,
  analyticsLinksPage,
  analyticsSearchesPage,
  analyticsUsagePage,
  watchPage,
  settingsPage,
];
