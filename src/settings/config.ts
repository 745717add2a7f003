import { Ajv } from 'ajv';
import { OperatorError } from '../errors.js';
import { isNetwork } from '../text/ip-address.js';
import { SETTINGS_SCHEMA, type Settings } from './settings.js';

/** Limits on the content of a request. Each is a setting. */
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
  /**
   * Port of a worker. A free one when PORT is unset: a worker often runs beside an api process with the same
   * environment.
   */
  readonly workerPort: number;
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
  /** What deleted pages leave. */
  readonly tombstones: { readonly days: number; readonly withContent: boolean };
  /** Max bytes of searches, and again of events, of one project and day. */
  readonly historyBytesPerDay: number;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  readonly maxInFlightBytes: number;
  readonly limits: Readonly<RequestLimits>;
}

/**
 * Reads and checks all settings of an environment. Reports all faults together.
 * @throws OperatorError
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, allowUnionTypes: true });
  ajv.addFormat('networks', (value: string) => listOf(value).every(isNetwork));
  const settings: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS_SCHEMA.properties as object)) {
    const value = environment[name]?.trim();
    // Compose files and shells use an empty variable for "not set".
    if (value !== undefined && value !== '') settings[name] = value;
  }
  const portIsSet = 'PORT' in settings;
  const validate = ajv.compile<Settings>(SETTINGS_SCHEMA);
  const valid = validate(settings);
  if (!valid) {
    const faults = (validate.errors ?? []).map((error) => {
      const name = error.instancePath.slice(1);
      // A url may contain a password: it is never printed.
      const given = name === 'DATABASE_URL' ? 'what was given' : JSON.stringify(environment[name]);
      return `  ${name}: ${explain(error.keyword, error.params, environment[name])}, not ${given}`;
    });
    throw new OperatorError(`The settings are not valid:\n${[...new Set(faults)].join('\n')}`);
  }
  return Object.freeze(toConfig(settings as unknown as Settings, portIsSet));
}

function toConfig(s: Settings, portIsSet: boolean): Config {
  return {
    port: s.PORT,
    workerPort: portIsSet ? s.PORT : 0,
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
    tombstones: Object.freeze({ days: s.TOMBSTONE_DAYS, withContent: s.TOMBSTONE_CONTENT === 'on' }),
    historyBytesPerDay: s.HISTORY_MB_PER_DAY * 1_000_000,
    logLevel: s.LOG_LEVEL,
    maxInFlightBytes: s.MAX_BYTES_IN_HAND,
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
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function explain(keyword: string, params: Record<string, unknown>, given = ''): string {
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
      return /\/0+\b/.test(given)
        ? "must name your proxies alone (whoever is trusted may say any address to be the caller's), such as 10.0.0.0/8"
        : 'must be addresses or networks with commas, such as 10.0.0.0/8';
    case 'pattern':
      return 'must be a url that begins with postgres://';
    default:
      return 'is not valid';
  }
}
