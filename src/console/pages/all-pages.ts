import type { Mountable } from '../console-page.js';
import { accountPage } from './account.js';
import { analyticsLinksPage } from './analytics-links.js';
import { analyticsNotFoundsPage } from './analytics.js';
import { analyticsRedirectsPage } from './analytics-redirects.js';
import { analyticsSearchesPage } from './analytics-searches.js';
import { analyticsUsagePage } from './analytics-usage.js';
import { auditPage } from './audit.js';
import { inboxChoosePage } from './inbox-choose.js';
import { inboxPreviewPage } from './inbox-preview.js';
import { inboxPage } from './inbox.js';
import { invitationPage } from './invitation.js';
import { loginPage } from './login.js';
import { logoutPage } from './logout.js';
import { overviewPage } from './overview.js';
import { projectsPage } from './projects.js';
import { redirectCheckPage } from './redirect-check.js';
import { redirectDryRunPage } from './redirect-dry-run.js';
import { redirectEditPage } from './redirect-edit.js';
import { redirectHistoryPage } from './redirect-history.js';
import { redirectProposalsPage } from './redirect-proposals.js';
import { redirectTransferPage } from './redirect-transfer.js';
import { redirectsPage } from './redirects.js';
import { settingsPage } from './settings.js';
import { sitePagePage } from './site-page.js';
import { sitePagesPage } from './site-pages.js';
import { syncRunPage, syncRunsPage } from './sync-runs.js';
import { signOnCallbackPage, signOnPage } from './single-sign-on.js';
import { tryPage } from './try.js';
import { watchPage } from './watch.js';

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
