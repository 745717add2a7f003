import { createHash } from 'node:crypto';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { ApiError, codeOf, messageOf } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { OpenIdConfig } from '../../platform/settings/console-settings.js';
import type { Identity } from '../store/invitations.js';
import { personOf, type Person } from './person.js';

/** The company's OpenID provider: authorization code with PKCE, state and nonce. It is asked when it is needed. */
export interface OpenIdProvider {
  /**
   * Returns the url to which the browser goes to log in.
   * @param secret of a cookie. State, nonce and verifier are derived from it, so that an answer to another browser is
   *   refused.
   * @throws ApiError overloaded
   */
  begin(secret: string, redirectUri: string): Promise<URL>;
  /** @param answer the url at which the browser is back. @throws ApiError insufficient_permissions, overloaded */
  finish(secret: string, answer: URL): Promise<Person & Identity>;
  /** Returns the provider's url for logging out, if it is known, without a request. */
  logoutUrl(backTo: string): URL | undefined;
}

/** The limit for each request to the provider; a login makes four at most. */
const TIMEOUT_SECONDS = 5;
const MAX_ANSWER_BYTES = 1_048_576;
/** The provider's metadata is used for FRESH_MS. After a failed request for it, the next request waits for AWAY_MS. */
const FRESH_MS = 3_600_000;
const AWAY_MS = 10_000;

export function createOpenIdProvider(config: OpenIdConfig, logger: Logger): OpenIdProvider {
  let known: { configuration: Configuration; until: number } | undefined;
  let away: { error: unknown; until: number } | undefined;
  let asking: Promise<Configuration> | undefined;

  async function discover(): Promise<Configuration> {
    try {
      const configuration = await askProvider(config);
      known = { configuration, until: performance.now() + FRESH_MS };
      away = undefined;
      return configuration;
    } catch (error) {
      away = { error, until: performance.now() + AWAY_MS };
      logger.warn('the OpenID provider cannot be used', { issuer: config.issuer, reason: reasonsOf(error) });
      throw error;
    } finally {
      asking = undefined;
    }
  }

  /** Returns the metadata of the provider. Callers at the same time share one request. */
  async function configuration(): Promise<Configuration> {
    if (known && known.until > performance.now()) return known.configuration;
    try {
      if (away && away.until > performance.now()) throw away.error;
      return await (asking ??= discover());
    } catch (error) {
      if (known) return known.configuration;
      throw unavailable(error);
    }
  }

  return {
    begin: async (secret, redirectUri) => {
      const [client, provider] = await Promise.all([import('openid-client'), configuration()]);
      return client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: config.scopes,
        state: derive('state', secret),
        nonce: derive('nonce', secret),
        code_challenge: await client.calculatePKCECodeChallenge(derive('verifier', secret)),
        code_challenge_method: 'S256',
      });
    },
    finish: async (secret, answer) => {
      const [client, provider] = await Promise.all([import('openid-client'), configuration()]);
      try {
        const tokens = await client.authorizationCodeGrant(provider, answer, {
          expectedState: derive('state', secret),
          expectedNonce: derive('nonce', secret),
          pkceCodeVerifier: derive('verifier', secret),
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims || !isSubject(claims.sub)) throw new Error('no id token, or a subject that cannot be stored');
        const sources: Record<string, unknown>[] = [claims];
        if (isIncomplete(claims, config) && provider.serverMetadata().userinfo_endpoint !== undefined)
          sources.push(await client.fetchUserInfo(provider, tokens.access_token, claims.sub));
        return { issuer: claims.iss, subject: claims.sub, ...personOf(sources, config) };
      } catch (error) {
        logger.warn('single sign-on failed', { issuer: config.issuer, reason: reasonsOf(error) });
        throw isAway(error) ? unavailable(error) : refused(error);
      }
    },
    logoutUrl: (backTo) => {
      const endpoint = known?.configuration.serverMetadata().end_session_endpoint;
      if (endpoint === undefined) return undefined;
      const url = new URL(endpoint);
      url.searchParams.set('client_id', config.clientId);
      url.searchParams.set('post_logout_redirect_uri', backTo);
      return url;
    },
  };
}

async function askProvider({ issuer, clientId, clientSecret }: OpenIdConfig): Promise<Configuration> {
  const client = await import('openid-client');
  const url = new URL(issuer);
  const none = client.None();
  const byPost = client.ClientSecretPost(clientSecret);
  const byHeader = client.ClientSecretBasic(clientSecret);
  const authenticate: ClientAuth = (server, metadata, body, headers) => {
    const isByPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    (clientSecret === undefined ? none : isByPost ? byPost : byHeader)(server, metadata, body, headers);
  };
  // By default the library believes an id token that came over TLS; its signature is checked all the same.
  const execute = [client.enableNonRepudiationChecks];
  // Plain http is for localhost alone (src/platform/settings/console-settings.ts).
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- so that it stands out, says the library
  if (url.protocol === 'http:') execute.push(client.allowInsecureRequests);
  const configuration = await client.discovery(url, clientId, undefined, authenticate, {
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: fetchBounded,
    execute,
  });
  // The library lets Entra's `common` through, which is every tenant there is.
  const { issuer: declaredIssuer } = configuration.serverMetadata();
  if (new URL(declaredIssuer).href !== url.href)
    throw new Error(`it calls itself ${declaredIssuer}: set OIDC_ISSUER to that`);
  return configuration;
}

/** Fetches answers that fit into memory. */
const fetchBounded: CustomFetch = async (url, options) => {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new TypeError(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, headers });
};

function isSubject(text: string): boolean {
  return Buffer.byteLength(text) <= 1_000 && text !== '' && !/[\p{C}]/u.test(text);
}

function derive(what: string, secret: string): string {
  return createHash('sha256').update(`${what} ${secret}`).digest('base64url');
}

/** Providers may keep the id token short, and say the rest when they are asked (OpenID Connect Core, 5.4). */
function isIncomplete(claims: Readonly<Record<string, unknown>>, config: OpenIdConfig): boolean {
  const { email, groups } = personOf([claims], config);
  return email === undefined || (config.roles.length > 0 && groups.length === 0);
}

/** fetch throws a TypeError where it gets no answer. */
function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof TypeError;
  return code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM';
}

function unavailable(cause: unknown): ApiError {
  const message =
    'The single sign-on of your company does not answer: try again in a moment, or log in with a password.';
  return new ApiError('overloaded', { message, headers: { 'Retry-After': String(AWAY_MS / 1_000) }, cause });
}

function refused(cause: unknown): ApiError {
  const byProvider =
    cause instanceof Error && 'error' in cause && typeof cause.error === 'string' && /^\w{1,50}$/.test(cause.error)
      ? ` (${cause.error})`
      : '';
  const message = `The single sign-on was not completed${byProvider}. Begin again; if it fails again, tell an operator.`;
  return new ApiError('insufficient_permissions', { message, cause });
}

/** Describes to the operator what went wrong, by messages alone: causes hold claims and tokens. */
function reasonsOf(error: unknown): string {
  const texts: string[] = [];
  for (let at = error; at instanceof Error && texts.length < 5; at = at.cause) {
    const details = ['code', 'error', 'error_description'].flatMap((name) => {
      const value = (at as unknown as Record<string, unknown>)[name];
      return typeof value === 'string' ? [value] : [];
    });
    texts.push([messageOf(at), ...details].join(' '));
  }
  return texts.join(': ').slice(0, 1_000);
}
