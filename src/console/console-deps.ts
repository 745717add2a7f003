import type { AccountDeps } from '../accounts/login.js';
import type { OpenIdProvider } from '../accounts/single-sign-on/openid-provider.js';
import type { ReadProxyHeader } from '../accounts/single-sign-on/proxy-header.js';
import type { GroupRole } from '../platform/settings/sign-on.js';
import type { AppDeps } from '../http/app.js';
import type { SuggestionsAhead } from './inbox/suggestions-ahead.js';

/** What pages work with: the parts of the API, and the accounts. */
export interface ConsoleDeps extends AppDeps, AccountDeps {
  /** CONSOLE_URL without a slash at its end; of the port that is listened on where it is not set. */
  consoleUrl: () => string;
  /** Undefined: no single sign-on. */
  openId: OpenIdProvider | undefined;
  openIdRoles: readonly GroupRole[];
  /** Undefined: no header is believed. */
  readProxyHeader: ReadProxyHeader | undefined;
  /** WEBHOOK_NETWORKS. */
  webhookNetworks: readonly string[];
  /** Whether SMTP_URL is set. */
  sendsMail: boolean;
  suggestionsAhead: SuggestionsAhead;
}
