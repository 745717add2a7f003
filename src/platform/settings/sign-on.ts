import { OperatorError } from '../../base/errors.js';
import { isLoopbackHost } from '../../text/ip-address.js';
import { parseUrl } from '../../text/parse-url.js';
import type { Settings } from './settings.js';

/** A role of whoever is in a group at the provider. */
export interface GroupRole {
  group: string;
  role: 'viewer' | 'editor' | 'admin';
  /** Id or name; undefined: all projects. */
  project: string | undefined;
}

export interface OpenIdConfig {
  issuer: string;
  clientId: string;
  /** Undefined: a public client, which proves itself by PKCE alone. */
  clientSecret: string | undefined;
  scopes: string;
  /** The claim with the groups: a name, or names with dots between them. */
  groupsClaim: string;
  /** The claim that says whether the e-mail address is verified. */
  verifiedClaim: string;
  roles: readonly GroupRole[];
}

/** How people log in to the console. */
export interface SignOnConfig {
  openId: OpenIdConfig | undefined;
  /** Undefined: no header is believed. */
  proxy: { header: string; addresses: readonly string[] } | undefined;
  /** False: whoever has single sign-on logs in by it alone. */
  passwordLogin: boolean;
}

const GROUP_ROLE = /^(.+)=(viewer|editor|admin)(?:@(.+))?$/;

/** @throws OperatorError that names each fault */
export function readSignOn(s: Settings): SignOnConfig {
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
    if (group !== undefined && isRole(role)) return [{ group, role, project }];
    faults.push(`OIDC_ROLES: must be GROUP=ROLE or GROUP=ROLE@PROJECT with commas, not ${JSON.stringify(entry)}`);
    return [];
  });
  if (s.CONSOLE_PROXY_HEADER !== '' && !/^[A-Za-z\d-]{1,100}$/.test(s.CONSOLE_PROXY_HEADER))
    faults.push('CONSOLE_PROXY_HEADER: must be the name of a header, such as X-Forwarded-Email');
  if (s.CONSOLE_PROXY_HEADER !== '' && proxyAddresses.length === 0)
    faults.push('CONSOLE_PROXY_HEADER: needs CONSOLE_PROXY_ADDRESSES, or anybody could say who he is');
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
            clientSecret: s.OIDC_CLIENT_SECRET === '' ? undefined : s.OIDC_CLIENT_SECRET,
            scopes: s.OIDC_SCOPES,
            groupsClaim: s.OIDC_GROUPS_CLAIM,
            verifiedClaim: s.OIDC_EMAIL_VERIFIED_CLAIM,
            roles,
          },
    proxy:
      s.CONSOLE_PROXY_HEADER === ''
        ? undefined
        : { header: s.CONSOLE_PROXY_HEADER.toLowerCase(), addresses: proxyAddresses },
    passwordLogin: s.CONSOLE_PASSWORD_LOGIN === 'on',
  });
}

function isIssuer(text: string): boolean {
  const url = parseUrl(text);
  if (
    !url ||
    Buffer.byteLength(text) > 500 ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

function isRole(text: string | undefined): text is GroupRole['role'] {
  return text === 'viewer' || text === 'editor' || text === 'admin';
}

/** The parts of a list with commas. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
