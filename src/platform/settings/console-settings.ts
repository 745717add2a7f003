import { OperatorError } from '../../base/errors.js';
import { isLoopbackHost } from '../../text/ip-address.js';
import { parseUrl } from '../../text/page-url.js';
import { choice, inFormat, listOf, pattern, text, type ValuesOf } from './setting-kinds.js';

/** The settings for the address of the console, for logging in to it, and for sending alerts. */
export const CONSOLE_SETTINGS = {
  CONSOLE_PORT: inFormat('port', 'port of the console; 0: a free one; unset: no console (demo: 8081)'),
  CONSOLE_URL: text('', "the console's public URL; unset: `http://localhost:CONSOLE_PORT/console`"),
  CONSOLE_PASSWORD_LOGIN: choice(['on', 'off'], 'on', 'off: people with single sign-on cannot log in with a password'),
  CONSOLE_PROXY_HEADER: text(
    '',
    'header in which a proxy sends the e-mail address of the logged-in person, such as `X-Forwarded-Email`; unset: no header is trusted',
  ),
  CONSOLE_PROXY_ADDRESSES: inFormat(
    'networks',
    'addresses or networks, separated by commas, that may send that header',
  ),
  OIDC_ISSUER: text('', 'OpenID provider for logging in to the console; unset: none'),
  OIDC_CLIENT_ID: text('', "the console's client id at the provider"),
  OIDC_CLIENT_SECRET: text('', "the console's client secret; unset: a public client with PKCE"),
  OIDC_SCOPES: text('openid email profile', 'scopes to request from the provider'),
  OIDC_EMAIL_VERIFIED_CLAIM: text('email_verified', 'claim that shows whether the e-mail address is verified'),
  OIDC_GROUPS_CLAIM: text('groups', 'claim with the groups: a name or a dotted path (`realm_access.roles`)'),
  OIDC_ROLES: text(
    '',
    'roles of groups, separated by commas: `GROUP=ROLE` for all projects, `GROUP=ROLE@PROJECT` for one; unset: groups have no role',
  ),
  SMTP_URL: pattern(
    '^(smtps?://.+)?$',
    'a url that begins with smtp:// or smtps://',
    'mail server for alerts: `smtp://user:password@host:587`; unset: no e-mail',
  ),
  MAIL_FROM: pattern(
    '^([^\\s@<>]+@[^\\s@<>]+|[^\\p{C}<>@]*<[^\\s@<>]+@[^\\s@<>]+>)?$',
    'an e-mail address, such as pathmend@example.com',
    'sender of these e-mails: `pathmend <pathmend@example.com>`',
  ),
  WEBHOOK_NETWORKS: inFormat(
    'own_networks',
    'private addresses or networks, separated by commas, that webhooks may use; public addresses are always allowed',
  ),
  SITE_NETWORKS: inFormat(
    'own_networks',
    'private addresses or networks, separated by commas, of sites that are named in the console; public ones are always allowed',
  ),
} as const;

export const DEMO_CONSOLE_PORT = 8081;

/** Checks CONSOLE_URL, and removes its last slash. @throws OperatorError for a url whose cookies browsers refuse */
export function readConsoleUrl(setting: string): string {
  const url = parseUrl(setting);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.search !== '' || url.hash !== '')
    throw new OperatorError(
      `CONSOLE_URL must be the url of the console as browsers ask for it, such as https://pathmend.example.com/console; not ${JSON.stringify(setting)}.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new OperatorError('CONSOLE_URL must have no user and password.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new OperatorError(
      `CONSOLE_URL must begin with https:// (only localhost may do without): browsers keep no secure cookie of ${url.origin}, so that nobody could log in.`,
    );
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

/** The url of the console when CONSOLE_URL is not set. */
export function defaultConsoleUrl(port: number): string {
  return `http://localhost:${port}/console`;
}

/** A role of users in a group at the provider. */
export interface GroupRole {
  group: string;
  role: 'viewer' | 'editor' | 'admin';
  /** The id or name of the project; undefined: all projects. */
  project: string | undefined;
}

/** The ways in which people log in to the console. */
export type SignOnConfig = ReturnType<typeof readSignOn>;
export type OpenIdConfig = NonNullable<SignOnConfig['openId']>;

const GROUP_ROLE = /^(.+)=(viewer|editor|admin)(?:@(.+))?$/;

/** Reads and checks the settings of logging in. @throws OperatorError that names each fault */
export function readSignOn(s: ValuesOf<typeof CONSOLE_SETTINGS>) {
  const faults: string[] = [];
  const proxyAddresses = listOf(s.CONSOLE_PROXY_ADDRESSES);
  if (s.OIDC_ISSUER !== '' && !isIssuer(s.OIDC_ISSUER))
    faults.push('OIDC_ISSUER: must be a url that begins with https:// (on localhost http:// does), without a query');
  if (s.OIDC_ISSUER !== '' && s.OIDC_CLIENT_ID === '') faults.push('OIDC_ISSUER: needs OIDC_CLIENT_ID');
  if (s.OIDC_ISSUER === '' && (s.OIDC_CLIENT_ID !== '' || s.OIDC_CLIENT_SECRET !== '' || s.OIDC_ROLES !== ''))
    faults.push('OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLES: need OIDC_ISSUER');
  if (!s.OIDC_SCOPES.split(/\s+/).includes('openid')) faults.push('OIDC_SCOPES: must have openid among them');
  const roles = listOf(s.OIDC_ROLES).flatMap((entry): GroupRole[] => {
    const [, group, role, project] = GROUP_ROLE.exec(entry) ?? [];
    if (group !== undefined) return [{ group, role: role as GroupRole['role'], project }];
    faults.push(`OIDC_ROLES: must be GROUP=ROLE or GROUP=ROLE@PROJECT with commas, not ${JSON.stringify(entry)}`);
    return [];
  });
  if (s.CONSOLE_PROXY_HEADER !== '' && !/^[A-Za-z\d-]{1,100}$/.test(s.CONSOLE_PROXY_HEADER))
    faults.push('CONSOLE_PROXY_HEADER: must be the name of a header, such as X-Forwarded-Email');
  if (s.CONSOLE_PROXY_HEADER !== '' && proxyAddresses.length === 0)
    faults.push('CONSOLE_PROXY_HEADER: needs CONSOLE_PROXY_ADDRESSES, or anyone could claim to be anyone');
  if (s.CONSOLE_PROXY_HEADER === '' && proxyAddresses.length > 0)
    faults.push('CONSOLE_PROXY_ADDRESSES: needs CONSOLE_PROXY_HEADER');
  if (s.CONSOLE_PASSWORD_LOGIN === 'off' && s.OIDC_ISSUER === '' && s.CONSOLE_PROXY_HEADER === '')
    faults.push('CONSOLE_PASSWORD_LOGIN: off needs OIDC_ISSUER or CONSOLE_PROXY_HEADER');
  if (faults.length > 0) throw new OperatorError(`The settings are not valid:\n  ${faults.join('\n  ')}`);
  return Object.freeze({
    openId:
      s.OIDC_ISSUER === ''
        ? undefined
        : {
            issuer: s.OIDC_ISSUER,
            clientId: s.OIDC_CLIENT_ID,
            /** The secret of the client; undefined: a public client, which proves itself by PKCE alone. */
            clientSecret: s.OIDC_CLIENT_SECRET || undefined,
            scopes: s.OIDC_SCOPES,
            groupsClaim: s.OIDC_GROUPS_CLAIM,
            verifiedClaim: s.OIDC_EMAIL_VERIFIED_CLAIM,
            roles,
          },
    /** The header of a proxy that logs people in, and the addresses of that proxy; undefined: no header is trusted. */
    proxy:
      s.CONSOLE_PROXY_HEADER === ''
        ? undefined
        : { header: s.CONSOLE_PROXY_HEADER.toLowerCase(), addresses: proxyAddresses },
    passwordLogin: s.CONSOLE_PASSWORD_LOGIN === 'on',
  });
}

function isIssuer(text: string): boolean {
  const url = parseUrl(text);
  if (!url || Buffer.byteLength(text) > 500 || url.search + url.hash + url.username + url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}
