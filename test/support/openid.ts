import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of a provider that tests use: the package has no types. */
interface Provider {
  callback(): RequestListener;
  Grant: new (of: { clientId: string; accountId: string }) => {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  };
}
const PACKAGE: string = 'oidc-provider';
const { default: OidcProvider } = (await import(PACKAGE)) as {
  default: new (issuer: string, configuration: object) => Provider;
};

export const CLIENT = { id: 'pathmend-console', secret: 'a secret of the tests that is long enough' };
export type Claims = Record<string, unknown>;

interface Listening {
  /** The url of the provider, at 127.0.0.1: another site than the console's localhost. */
  issuer: string;
  answerBy(listener: RequestListener): void;
  stop(): Promise<void>;
}

async function listen(): Promise<Listening> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server: Server = createServer((request, response) => {
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerBy: (next) => {
      listener = next;
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
}

export interface TestProvider extends Pick<Listening, 'issuer' | 'stop'> {
  /** The claims about a person who types this login, with any password. */
  accounts: Map<string, Claims>;
  /** Begins to answer, for the console at this url. Until then it answers 503. */
  open(consoleUrl: string): void;
  /** Answers nothing any more, and keeps callers waiting. */
  hang(): void;
}

/** A certified OpenID provider, with its page to log in. It consents by itself. */
export async function startProvider(): Promise<TestProvider> {
  const listening = await listen();
  const { issuer } = listening;
  const accounts = new Map<string, Claims>();
  return {
    ...listening,
    accounts,
    hang: () => {
      listening.answerBy(() => undefined);
    },
    open: (consoleUrl) => {
      const provider: Provider = new OidcProvider(issuer, {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            token_endpoint_auth_method: 'client_secret_post',
            redirect_uris: [`${consoleUrl}/login/callback`],
            post_logout_redirect_uris: [`${consoleUrl}/logout`],
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
        cookies: { keys: ['of the tests'] },
        pkce: { required: () => true },
        findAccount: (_context: unknown, id: string) => ({
          accountId: id,
          claims: () => ({ sub: id, ...accounts.get(id) }),
        }),
        loadExistingGrant: async ({
          oidc,
        }: {
          oidc: { client: { clientId: string }; session: { accountId: string } };
        }) => {
          const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
      listening.answerBy(provider.callback());
    },
  };
}

export interface Forger extends Pick<Listening, 'issuer' | 'stop'> {
  /** The id token that is given for the next codes. */
  idToken: string;
  /** Forms of the token endpoint, as they came. */
  tokenRequests: URLSearchParams[];
  sign(claims: Claims, options?: { alg?: 'RS256' | 'none'; key?: KeyObject }): string;
}

/** Starts a provider that answers whatever a test has it answer. */
export async function startForger(): Promise<Forger> {
  const listening = await listen();
  const { issuer } = listening;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const forger: Forger = {
    ...listening,
    idToken: '',
    tokenRequests: [],
    sign: (claims, { alg = 'RS256', key = privateKey } = {}) => {
      const parts = [{ alg, ...(alg !== 'none' && { kid: 'one' }) }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      const signed = alg === 'none' ? '' : createSign('RSA-SHA256').update(parts.join('.')).sign(key, 'base64url');
      return [...parts, signed].join('.');
    },
  };
  const answers: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    }),
    '/jwks': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] }),
    '/token': () => ({ access_token: 'of no use', token_type: 'Bearer', expires_in: 60, id_token: forger.idToken }),
  };
  listening.answerBy((request, response) => {
    void answer(request, response, answers, forger.tokenRequests);
  });
  return forger;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Record<string, () => unknown>,
  tokenRequests: URLSearchParams[],
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  if (request.method === 'POST') tokenRequests.push(new URLSearchParams(body));
  const buildAnswer = answers[request.url ?? ''];
  response
    .writeHead(buildAnswer ? 200 : 404, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(buildAnswer?.() ?? {}));
}
