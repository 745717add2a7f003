import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { parseConfig } from '#src/platform/settings/config.js';
import { countPagesByStatus } from '#src/pages/store/page-counts.js';
import { insertProject, type ProjectRow } from '#src/projects/store/projects.js';
import type { KeyMode, Plan, Scope, Rates } from '#src/base/glossary.js';
import { createKey } from '#src/projects/keys.js';
import { ratesOf } from '#src/projects/plans.js';
import { type Logger } from '#src/base/logger.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { startService, type Service, type ServiceOptions } from '#src/app/service.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { keptLog, saidAloud } from './said-aloud.js';
import { sharedEmbedder } from './shared-embedder.js';
import { query } from './sql.js';
import { until } from './until.js';

export interface TestService {
  service: Service;
  database: TestDatabase;
  /** A project of its own with a key: what one test does is no business of another's. */
  newProject(options?: NewProject): Promise<TestProject>;
  stop(): Promise<void>;
}

export interface NewProject {
  /** Default: enterprise with rates that no test reaches. Null: no plan. */
  plan?: Plan | null;
  rates?: Partial<Rates>;
  mode?: KeyMode;
  scopes?: Scope[];
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or undefined when the body is empty or not JSON. */
  // Tests read answers of every shape; what they expect of it is what they assert.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

export interface TestProject {
  row: ProjectRow;
  key: string;
  /** A call with the project's key; the body is sent as JSON, or as it is when it is a string or bytes. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  /** Pushes a page and expects 202. */
  upsert(page: { url: string; content: string; title?: string | null; metadata?: unknown }): Promise<Answer>;
  /** Resolves when no page of the project waits or is in work. `meanwhile` may wake what waits for another try. */
  indexed(meanwhile?: () => Promise<void>): Promise<void>;
  newKey(options?: { mode?: KeyMode; scopes?: Scope[]; expiresAt?: Date }): Promise<string>;
  /** Runs a statement on the service's database. Its first parameter is the project's id. */
  query<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>;
}

const NO_LIMIT: Rates = { read_rate: 100_000, read_burst: 100_000, write_rate: 100_000, write_burst: 100_000 };

/** With one of these a service has a model's thread of its own. */
const OF_THE_MODEL = new Set(['EMBEDDING_MODEL', 'EMBEDDING_THREADS', 'MODEL_CACHE_DIR']);

/** Starts the whole service on an empty database of its own, on a free port. */
export async function startTestService(
  settings: Record<string, string> = {},
  options: Partial<ServiceOptions> & { database?: TestDatabase; log?: NodeJS.WritableStream } = {},
): Promise<TestService> {
  const database = options.database ?? (await createTestDatabase({ migrated: true }));
  const config = parseConfig({
    PORT: '0',
    LOG_LEVEL: options.log ? 'error' : 'debug',
    FAILED_KEYS_PER_MINUTE: '0',
    // The smallest and fastest. Tests of first starts, languages and upgrades say which they want.
    EMBEDDING_MODEL: 'static',
    ...database.environment,
    ...settings,
  });
  const logger: Logger = createLogger(config.logLevel, options.log ?? keptLog());
  const hasOwnModel = Object.keys(settings).some((name) => OF_THE_MODEL.has(name));
  const { wrapEmbedder = (embedder) => embedder } = options;
  const service = await startService({
    role: 'all',
    ...options,
    ...(!hasOwnModel && { wrapEmbedder: () => wrapEmbedder(sharedEmbedder(config)) }),
    config,
    logger,
  });
  return {
    service,
    database,
    newProject: (project) => newProject(service, project),
    stop: async () => {
      await service.stop();
      await database.drop();
    },
  };
}

export async function newProject(service: Service, options: NewProject = {}): Promise<TestProject> {
  const { db } = service;
  const plan = options.plan === undefined ? 'enterprise' : options.plan;
  const rates =
    plan === null
      ? { read_rate: 0, read_burst: 0, write_rate: 0, write_burst: 0 }
      : ratesOf(plan, { ...NO_LIMIT, ...options.rates });
  const row = await insertProject(db, { name: `test ${randomUUID()}`, plan, ...rates });
  if (!row) throw new Error('the name of a test project was taken');
  const newKey: TestProject['newKey'] = async ({
    mode = 'live',
    scopes = ['read', 'write'] as Scope[],
    expiresAt,
  } = {}) => (await createKey(db, { projectId: row.project_id, mode, scopes, expiresAt: expiresAt ?? null })).key;
  const key = await newKey({
    ...(options.mode ? { mode: options.mode } : {}),
    ...(options.scopes ? { scopes: options.scopes } : {}),
  });
  const call: TestProject['call'] = (method, path, body, headers = {}) =>
    send(service.url, method, path, body, { Authorization: `Bearer ${key}`, ...headers });
  return {
    row,
    key,
    call,
    post: (path, body) => call('POST', path, body),
    upsert: async (page) => {
      const answer = await call('POST', '/v1/pages/upsert', page);
      if (answer.status !== 202) throw new Error(`upsert answered ${answer.status}: ${answer.text}`);
      return answer;
    },
    indexed: (meanwhile) =>
      until('every page of the project is indexed', async () => {
        await meanwhile?.();
        const counts = await countPagesByStatus(db, row.project_id);
        return counts.PENDING_VECTORIZATION + counts.PROCESSING === 0;
      }),
    newKey,
    query: (text, ...values) => query(service, text, [row.project_id, ...values]),
  };
}

/** One HTTP request over a real connection. */
export async function send(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(base + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  saidAloud([method, response.status, ...[...response.headers].flat(), text].join(' '));
  return { status: response.status, headers: response.headers, body: parse(text), text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
