import type { AccountDeps } from '../../accounts/login.js';
import type { OpenIdProvider } from '../../accounts/single-sign-on/openid-provider.js';
import type { ReadProxyHeader } from '../../accounts/single-sign-on/person.js';
import type { RequestLimits } from '../../platform/settings/config.js';
import type { GroupRole } from '../../platform/settings/sign-on.js';
import type { Logger } from '../../base/logger.js';
import type { Drain } from '../../http/drain.js';
import type { DeleteDeps } from '../../pages/delete-pages.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import type { SearchDeps } from '../../search/search.js';
import type { SuggestionsAhead } from '../inbox/suggestions-ahead.js';

/** The parts of the service that the console shares with the API. */
export interface SharedDeps extends SearchDeps, DeleteDeps {
  bytes: InFlightBytes;
  logger: Logger;
  drain: Drain;
  trustedProxies: readonly string[];
  limits: RequestLimits;
}

/** What pages work with. */
export interface ConsoleDeps extends SharedDeps, AccountDeps {
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
