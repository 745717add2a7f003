import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { hashSecret, mintSecret, createPasswords } from '#src/accounts/credentials.js';
import type { Role } from '#src/accounts/roles.js';
import { insertSession } from '#src/accounts/store/sessions.js';
import { grantRole, storePassword } from '#src/accounts/store/users.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { openTab, startBrowser, type Tab } from './browser.js';
import { mustStaySecret } from './said-aloud.js';
import {
  newProject,
  startTestService,
  type Answer,
  type NewProject,
  type TestProject,
  type TestService,
} from './service.js';

export const PASSWORD = 'four words and a half';
const hash = createPasswords().hash(PASSWORD, '');
mustStaySecret(PASSWORD);

export interface TestUser {
  userId: string;
  email: string;
  /** The session's cookie, as a header. */
  cookie: string;
  /** GET and POST without a browser: with the cookie and, unless `token` is another, the form token of the session. */
  get(path: string): Promise<Answer>;
  post(
    path: string,
    fields?: Record<string, string>,
    options?: { token?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** A tab that is logged in. */
  tab(options?: Parameters<typeof openTab>[1]): Promise<Tab>;
}

export interface TestConsole extends Omit<TestService, 'newProject'> {
  /** The console's own url, as in CONSOLE_URL. */
  url: string;
  browser: Browser;
  newProject(options?: NewProject): Promise<TestProject>;
  /** Makes a user with a role in a project; without a project the role is over all projects. */
  newUser(role: Role | null, project?: TestProject): Promise<TestUser>;
  /** A tab in which nobody is logged in. */
  tab(options?: Parameters<typeof openTab>[1]): Promise<Tab>;
}

/** Starts a service with its console on a free port, and a browser. Each file of tests has one of its own. */
export async function startTestConsole(settings: Record<string, string> = {}): Promise<TestConsole> {
  const browser = await startBrowser();
  const started = await startTestService({ CONSOLE_PORT: '0', ...settings }).catch(async (error: unknown) => {
    await browser.close();
    throw error;
  });
  const { service } = started;
  const url = service.consoleUrl ?? '';
  return {
    ...started,
    url,
    browser,
    newProject: (options) => newProject(service, options),
    newUser: async (role, project) => {
      const email = `${randomUUID().slice(0, 8)}@example.com`;
      const userId = await inTransaction(service.db, async (trx) => {
        const user = await storePassword(trx, email, await hash, true);
        if (!user) throw new Error('no test user was made');
        if (role !== null) await grantRole(trx, user.user_id, project?.row.project_id ?? null, role);
        return user.user_id;
      });
      const secret = mintSecret();
      await insertSession(service.db, userId, hashSecret(secret));
      return userOf({ browser, url, userId, email, secret });
    },
    tab: (options) => openTab(browser, options),
    stop: async () => {
      await browser.close();
      await started.stop();
    },
  };
}

function userOf({
  browser,
  url,
  userId,
  email,
  secret,
}: {
  browser: Browser;
  url: string;
  userId: string;
  email: string;
  secret: string;
}): TestUser {
  const cookie = `__Host-pathmend=${secret}`;
  const { origin } = new URL(url);
  return {
    userId,
    email,
    cookie,
    get: (path) => ask(url + path, { headers: { cookie } }),
    post: async (path, fields = {}, { token, headers = {} } = {}) =>
      ask(url + path, {
        method: 'POST',
        headers: { cookie, 'Sec-Fetch-Site': 'same-origin', Origin: origin, ...headers },
        body: new URLSearchParams({ form_token: token ?? (await tokenOf(secret)), ...fields }),
      }),
    tab: async (options) => {
      const tab = await openTab(browser, options);
      await tab.context.addCookies([
        {
          name: '__Host-pathmend',
          value: secret,
          domain: new URL(url).hostname,
          path: '/',
          secure: true,
          httpOnly: true,
          sameSite: 'Lax',
        },
      ]);
      return tab;
    },
  };
}

async function tokenOf(secret: string): Promise<string> {
  const { formTokenOf } = await import('#src/console/shared/session.js');
  return formTokenOf(secret);
}

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, body: undefined, text: await response.text() };
}
