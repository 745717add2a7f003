/** Where the console is, how people log in to it, and how alerts are sent. */
export interface ConsoleSettings {
  CONSOLE_PORT: string;
  CONSOLE_URL: string;
  CONSOLE_PASSWORD_LOGIN: 'on' | 'off';
  CONSOLE_PROXY_HEADER: string;
  CONSOLE_PROXY_ADDRESSES: string;
  OIDC_ISSUER: string;
  OIDC_CLIENT_ID: string;
  OIDC_CLIENT_SECRET: string;
  OIDC_SCOPES: string;
  OIDC_EMAIL_VERIFIED_CLAIM: string;
  OIDC_GROUPS_CLAIM: string;
  OIDC_ROLES: string;
  SMTP_URL: string;
  MAIL_FROM: string;
  WEBHOOK_NETWORKS: string;
}

const text = (fallback: string, description: string) => ({ type: 'string', default: fallback, description }) as const;

export const CONSOLE_SETTINGS = {
  CONSOLE_PORT: {
    ...text('', 'port of the console, 0: a free one; unset: no console, but 8081 in the demo'),
    format: 'port',
  },
  CONSOLE_URL: text('', "the console's url as browsers ask for it; unset: `http://localhost:CONSOLE_PORT/console`"),
  CONSOLE_PASSWORD_LOGIN: {
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description: 'off: whoever has single sign-on logs in to the console by it alone',
  },
  CONSOLE_PROXY_HEADER: text(
    '',
    'header in which a proxy says the e-mail address of whom it has logged in, such as `X-Forwarded-Email`; unset: none is believed',
  ),
  CONSOLE_PROXY_ADDRESSES: {
    ...text('', 'addresses or networks, separated by commas, whose connections may carry that header'),
    format: 'networks',
  },
  OIDC_ISSUER: text('', 'url of the OpenID provider at which people log in to the console; unset: none'),
  OIDC_CLIENT_ID: text('', "the console's id at the provider"),
  OIDC_CLIENT_SECRET: text('', "the console's secret at the provider; unset: a public client, by PKCE alone"),
  OIDC_SCOPES: text('openid email profile', 'what the provider is asked for'),
  OIDC_EMAIL_VERIFIED_CLAIM: text('email_verified', 'claim that says whether the e-mail address is verified'),
  OIDC_GROUPS_CLAIM: text('groups', 'claim with the groups, as a name or a path with dots (`realm_access.roles`)'),
  OIDC_ROLES: text(
    '',
    'roles of groups, separated by commas: `GROUP=ROLE` over all projects, `GROUP=ROLE@PROJECT` in one; unset: groups give none',
  ),
  SMTP_URL: {
    ...text(
      '',
      'url of the mail server that alerts are sent through: `smtp://user:password@host:587`; unset: no e-mail',
    ),
    pattern: '^(smtps?://.+)?$',
  },
  MAIL_FROM: {
    ...text('', 'the sender of these mails: `pathmend <pathmend@example.com>`'),
    pattern: '^([^\\s@<>]+@[^\\s@<>]+|[^\\p{C}<>@]*<[^\\s@<>]+@[^\\s@<>]+>)?$',
  },
  WEBHOOK_NETWORKS: {
    ...text('', 'addresses or networks beside the public internet that webhooks may be sent to, separated by commas'),
    format: 'own_networks',
  },
} as const;
