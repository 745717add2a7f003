import { availableParallelism } from 'node:os';
import { isIP } from 'node:net';
import { Ajv, type JSONSchemaType } from 'ajv';
import { OperatorError } from './errors.js';

/** Every setting, its type, its default and its meaning. The README's table is checked against this by a test. */
interface Settings {
  PORT: number;
  HOST: string;
  DATABASE_URL: string;
  DATABASE_POOL: number;
  DATA_DIR: string;
  EMBEDDING_MODEL: string;
  MODEL_CACHE_DIR: string;
  EMBEDDING_THREADS: number;
  SUGGEST_PATH_EVIDENCE: 'on' | 'off';
  SEARCH_CACHE_ENTRIES: number;
  OWN_INDEX_PASSAGES: number;
  FAILED_KEYS_PER_MINUTE: number;
  TRUSTED_PROXIES: string;
  EVENT_IP_MODE: 'full' | 'truncate' | 'drop';
  EVENT_RETENTION_DAYS: number;
  LOG_LEVEL: 'error' | 'warn' | 'info' | 'debug';
  MAX_BODY_BYTES: number;
  MAX_BYTES_IN_HAND: number;
  MAX_PATH_CHARACTERS: number;
  MAX_QUERY_CHARACTERS: number;
  MAX_RESULTS: number;
  MAX_EXCLUDE_URLS: number;
  MAX_FILTERS: number;
  MAX_URL_CHARACTERS: number;
  MAX_TITLE_CHARACTERS: number;
  MAX_CONTENT_CHARACTERS: number;
  MAX_METADATA_BYTES: number;
  MAX_METADATA_DEPTH: number;
}

const count = (minimum: number, maximum: number, fallback: number, description: string) =>
  ({ type: 'integer', minimum, maximum, default: fallback, description }) as const;
const text = (fallback: string, description: string) => ({ type: 'string', default: fallback, description }) as const;

export const SETTINGS_SCHEMA: JSONSchemaType<Settings> = {
  type: 'object',
  properties: {
    PORT: count(0, 65_535, 8080, 'port to listen on; 0 takes a free one'),
    HOST: text('127.0.0.1', 'address to listen on'),
    DATABASE_URL: {
      ...text('', 'a PostgreSQL server; unset: an embedded PostgreSQL in DATA_DIR'),
      pattern: '^(postgres(ql)?://.*)?$',
    },
    DATABASE_POOL: count(2, 500, 10, 'connections per process at most'),
    DATA_DIR: text('./data', 'folder of the embedded database'),
    EMBEDDING_MODEL: text('', 'a local folder or a hub id; unset: the bundled model'),
    MODEL_CACHE_DIR: text('', 'where models of a hub are kept; unset: DATA_DIR/models'),
    EMBEDDING_THREADS: count(1, 64, Math.max(1, Math.min(4, availableParallelism() - 1)), 'threads that one inference may use'),
    SUGGEST_PATH_EVIDENCE: { type: 'string', enum: ['on', 'off'], default: 'on', description: 'off: suggest compares content only' },
    SEARCH_CACHE_ENTRIES: count(0, 1_000_000, 10_000, 'cached answers per process; 0 turns the cache off'),
    OWN_INDEX_PASSAGES: count(0, 1_000_000_000, 20_000, 'a project with so many passages gets indexes of its own, on a server; 0: never'),
    FAILED_KEYS_PER_MINUTE: count(0, 1_000_000, 100, 'requests with a key that is not valid, of one address; then 429. 0: no limit'),
    TRUSTED_PROXIES: {
      ...text('', 'addresses or networks, with commas, whose `X-Forwarded-For` names the caller\'s address'),
      format: 'networks',
    },
    EVENT_IP_MODE: {
      type: 'string',
      enum: ['full', 'truncate', 'drop'],
      default: 'truncate',
      description: 'what is kept of a visitor\'s IP: all, its /24 or /48, nothing',
    },
    EVENT_RETENTION_DAYS: count(1, 36_500, 400, 'searches and events older than this are dropped, a week at a time'),
    LOG_LEVEL: { type: 'string', enum: ['error', 'warn', 'info', 'debug'], default: 'info', description: 'least level that is logged' },
    MAX_BODY_BYTES: count(1_024, 268_435_456, 2_097_152, 'request body'),
    MAX_BYTES_IN_HAND: count(1_048_576, 1_099_511_627_776, 268_435_456, 'request bodies and large answers in hand at once in a process; more of them are refused with 503'),
    MAX_PATH_CHARACTERS: count(1, 65_536, 2_048, '`path` of suggest'),
    MAX_QUERY_CHARACTERS: count(1, 65_536, 2_000, '`query` of searches'),
    MAX_RESULTS: count(1, 1_000, 100, '`limit` and `top_k`'),
    MAX_EXCLUDE_URLS: count(0, 10_000, 100, 'entries of `options.excludeUrls`'),
    MAX_FILTERS: count(0, 1_000, 20, 'keys of `filters`'),
    MAX_URL_CHARACTERS: count(16, 65_536, 2_048, '`url` of a page'),
    MAX_TITLE_CHARACTERS: count(1, 65_536, 1_000, '`title` of a page'),
    MAX_CONTENT_CHARACTERS: count(1, 100_000_000, 1_000_000, '`content` of a page'),
    MAX_METADATA_BYTES: count(2, 16_777_216, 65_536, '`metadata` of a page, as JSON'),
    MAX_METADATA_DEPTH: count(1, 1_000, 32, 'levels of `metadata`'),
  },
  required: [],
} as unknown as JSONSchemaType<Settings>;

/** The limits on what a request may hold; each is a setting. */
export interface RequestLimits {
  bodyBytes: number;
  pathCharacters: number;
  queryCharacters: number;
  results: number;
  excludeUrls: number;
  filters: number;
  urlCharacters: number;
  titleCharacters: number;
  contentCharacters: number;
  metadataBytes: number;
  metadataDepth: number;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly databasePool: number;
  readonly dataDir: string;
  /** Undefined: the bundled model. */
  readonly embeddingModel: string | undefined;
  readonly modelCacheDir: string;
  readonly embeddingThreads: number;
  readonly suggestPathEvidence: boolean;
  readonly searchCacheEntries: number;
  readonly ownIndexPassages: number;
  readonly failedKeysPerMinute: number;
  readonly trustedProxies: readonly string[];
  readonly eventIpMode: 'full' | 'truncate' | 'drop';
  readonly eventRetentionDays: number;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  readonly bytesInHand: number;
  readonly limits: Readonly<RequestLimits>;
}

/**
 * Reads the settings from an environment, checks them all, and says everything that is wrong at once.
 * @throws OperatorError
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, allowUnionTypes: true });
  ajv.addFormat('networks', (value: string) => listOf(value).every(isNetwork));
  const settings: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS_SCHEMA.properties as object)) {
    const value = environment[name]?.trim();
    // An empty variable is how compose files and shells spell "not set".
    if (value !== undefined && value !== '') settings[name] = value;
  }
  const validate = ajv.compile<Settings>(SETTINGS_SCHEMA);
  const valid = validate(settings);
  if (!valid) {
    const faults = (validate.errors ?? []).map((error) => {
      const name = error.instancePath.slice(1);
      // A url may carry a password: it is never repeated.
      const given = name === 'DATABASE_URL' ? 'what was given' : JSON.stringify(environment[name]);
      return `  ${name}: ${explain(error.keyword, error.params)}, not ${given}`;
    });
    throw new OperatorError(`The settings are not valid:\n${[...new Set(faults)].join('\n')}`);
  }
  return Object.freeze(toConfig(settings as unknown as Settings));
}

function toConfig(s: Settings): Config {
  return {
    port: s.PORT,
    host: s.HOST,
    databaseUrl: s.DATABASE_URL === '' ? undefined : s.DATABASE_URL,
    databasePool: s.DATABASE_POOL,
    dataDir: s.DATA_DIR,
    embeddingModel: s.EMBEDDING_MODEL === '' ? undefined : s.EMBEDDING_MODEL,
    modelCacheDir: s.MODEL_CACHE_DIR === '' ? `${s.DATA_DIR}/models` : s.MODEL_CACHE_DIR,
    embeddingThreads: s.EMBEDDING_THREADS,
    suggestPathEvidence: s.SUGGEST_PATH_EVIDENCE === 'on',
    searchCacheEntries: s.SEARCH_CACHE_ENTRIES,
    ownIndexPassages: s.OWN_INDEX_PASSAGES,
    failedKeysPerMinute: s.FAILED_KEYS_PER_MINUTE,
    trustedProxies: listOf(s.TRUSTED_PROXIES),
    eventIpMode: s.EVENT_IP_MODE,
    eventRetentionDays: s.EVENT_RETENTION_DAYS,
    logLevel: s.LOG_LEVEL,
    bytesInHand: s.MAX_BYTES_IN_HAND,
    limits: Object.freeze({
      bodyBytes: s.MAX_BODY_BYTES,
      pathCharacters: s.MAX_PATH_CHARACTERS,
      queryCharacters: s.MAX_QUERY_CHARACTERS,
      results: s.MAX_RESULTS,
      excludeUrls: s.MAX_EXCLUDE_URLS,
      filters: s.MAX_FILTERS,
      urlCharacters: s.MAX_URL_CHARACTERS,
      titleCharacters: s.MAX_TITLE_CHARACTERS,
      contentCharacters: s.MAX_CONTENT_CHARACTERS,
      metadataBytes: s.MAX_METADATA_BYTES,
      metadataDepth: s.MAX_METADATA_DEPTH,
    }),
  };
}

function listOf(text: string): string[] {
  return text.split(',').map((one) => one.trim()).filter((one) => one !== '');
}

/** An address, or one with the length of a prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return bits > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}

function explain(keyword: string, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'type':
      return 'must be a whole number';
    case 'minimum':
      return `must be at least ${String(params['limit'])}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as string[]).join(', ')}`;
    case 'format':
      return 'must be addresses or networks with commas, such as 10.0.0.0/8';
    case 'pattern':
      return 'must be a url that begins with postgres://';
    default:
      return 'is not valid';
  }
}
