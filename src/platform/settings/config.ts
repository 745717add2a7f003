import { Ajv, type SchemaObject } from 'ajv';
import { OperatorError } from '../../base/errors.js';
import { OWN_SCHEMA } from '../../base/validate.js';
import { isNetwork } from '../../text/ip-address.js';
import type { TracingOptions } from '../telemetry/tracer.js';
import { readConsoleUrl } from './console-url.js';
import { MAY_HOLD_SECRET } from './secret-files.js';
import { SETTINGS_SCHEMA, type Settings } from './settings.js';
import { listOf, readSignOn, type SignOnConfig } from './sign-on.js';
import { isListOfPairs, tracingOf } from './tracing-settings.js';

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
  retrieveBytes: number;
}

export interface Config {
  readonly port: number;
  /** Of a process that is a worker alone. 0: a free one. */
  readonly workerPort: number;
  readonly host: string;
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Where secrets are in files: the url with what they hold now, for each new connection. */
  readonly databaseUrlNow?: () => string;
  /** Past the pooler of `databaseUrl`. */
  readonly databaseDirectUrl: string | undefined;
  readonly databaseDirectUrlNow?: () => string;
  /** A replica for searches. */
  readonly databaseReadUrl: string | undefined;
  readonly databaseReadUrlNow?: () => string;
  readonly databasePool: number;
  readonly dataDir: string;
  /** `auto`: each project's follows its pages. */
  readonly embeddingModel: string;
  readonly modelCacheDir: string;
  readonly embeddingThreads: number;
  readonly suggestPathEvidence: boolean;
  readonly searchCacheEntries: number;
  readonly ownIndexPassages: number;
  readonly failedKeysPerMinute: number;
  readonly trustedProxies: readonly string[];
  /** '': none. */
  readonly notFoundTemplates: string;
  readonly notFoundMaxAge: number;
  readonly eventIpMode: 'full' | 'truncate' | 'drop';
  readonly eventRetentionDays: number;
  /** What deleted pages leave. */
  readonly tombstones: { readonly days: number; readonly withContent: boolean };
  /** Max bytes of searches, and again of events, of one project and day. */
  readonly historyBytesPerDay: number;
  /** Undefined: no console. 0: a free one. */
  readonly consolePort: number | undefined;
  /** Without a slash at its end. */
  readonly consoleUrl: string | undefined;
  readonly signOn: SignOnConfig;
  /** Undefined: no e-mail. With a password, perhaps. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined;
  readonly webhookNetworks: readonly string[];
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  /** Projects that /metrics names. */
  readonly metricsProjects: number;
  /** Undefined: no traces. */
  readonly tracing: TracingOptions | undefined;
  readonly maxInFlightBytes: number;
  readonly limits: Readonly<RequestLimits>;
}

/**
 * Reads and checks all settings of an environment. Reports all faults together. Secrets in files: load-config.ts.
 * @throws OperatorError
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  return Object.freeze(toConfig(parseSettings(environment)));
}

/**
 * The settings by their names, defaults filled in.
 * @throws OperatorError
 */
export function parseSettings(environment: Record<string, string | undefined>): Settings {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, allowUnionTypes: true, ...OWN_SCHEMA });
  ajv.addFormat('port', (value: string) => value === '' || (/^\d{1,5}$/.test(value) && Number(value) <= 65_535));
  ajv.addFormat('networks', (value: string) => listOf(value).every(isNetwork));
  ajv.addFormat('own_networks', (value: string) => listOf(value).every(isNetwork));
  ajv.addFormat('pairs', isListOfPairs);
  const settings: Record<string, unknown> = {};
  const given: Record<string, SchemaObject> = {};
  for (const [name, schema] of Object.entries(SETTINGS_SCHEMA.properties as Record<string, SchemaObject>)) {
    const value = environment[name]?.trim();
    // Compose files and shells use an empty variable for "not set".
    const isGiven = value !== undefined && value !== '';
    settings[name] = isGiven ? value : schema['default'];
    if (isGiven) given[name] = schema;
  }
  // Only what is given: with the whole schema compiled, `config` took 222 ms of CPU, and now 149.
  const validate = ajv.compile<Settings>({ type: 'object', properties: given });
  const valid = validate(settings);
  if (!valid) {
    const faults = (validate.errors ?? []).map((error) => {
      const name = error.instancePath.slice(1);
      // It is never printed.
      const given = MAY_HOLD_SECRET.test(name) ? 'what was given' : JSON.stringify(environment[name]);
      return `  ${name}: ${explain(name, error.keyword, error.params, environment[name])}, not ${given}`;
    });
    throw new OperatorError(`The settings are not valid:\n${[...new Set(faults)].join('\n')}`);
  }
  // Only a server has replicas and poolers.
  for (const name of ['DATABASE_READ_URL', 'DATABASE_DIRECT_URL'])
    if (settings[name] && !settings['DATABASE_URL'])
      throw new OperatorError(`The settings are not valid:\n  ${name}: needs DATABASE_URL beside it`);
  readSignOn(settings);
  if ((settings['SMTP_URL'] === '') !== (settings['MAIL_FROM'] === ''))
    throw new OperatorError('The settings are not valid:\n  SMTP_URL, MAIL_FROM: one needs the other');
  return settings;
}

function toConfig(s: Settings): Config {
  return {
    port: s.PORT,
    workerPort: s.WORKER_PORT,
    host: s.HOST,
    databaseUrl: s.DATABASE_URL === '' ? undefined : s.DATABASE_URL,
    databaseDirectUrl: s.DATABASE_DIRECT_URL === '' ? undefined : s.DATABASE_DIRECT_URL,
    databaseReadUrl: s.DATABASE_READ_URL === '' ? undefined : s.DATABASE_READ_URL,
    databasePool: s.DATABASE_POOL,
    dataDir: s.DATA_DIR,
    embeddingModel: s.EMBEDDING_MODEL,
    modelCacheDir: s.MODEL_CACHE_DIR === '' ? `${s.DATA_DIR}/models` : s.MODEL_CACHE_DIR,
    embeddingThreads: s.EMBEDDING_THREADS,
    suggestPathEvidence: s.SUGGEST_PATH_EVIDENCE === 'on',
    searchCacheEntries: s.SEARCH_CACHE_ENTRIES,
    ownIndexPassages: s.OWN_INDEX_PASSAGES,
    failedKeysPerMinute: s.FAILED_KEYS_PER_MINUTE,
    trustedProxies: listOf(s.TRUSTED_PROXIES),
    notFoundTemplates: s.NOT_FOUND_TEMPLATES,
    notFoundMaxAge: s.NOT_FOUND_MAX_AGE,
    eventIpMode: s.EVENT_IP_MODE,
    eventRetentionDays: s.EVENT_RETENTION_DAYS,
    tombstones: Object.freeze({ days: s.TOMBSTONE_DAYS, withContent: s.TOMBSTONE_CONTENT === 'on' }),
    historyBytesPerDay: s.HISTORY_MB_PER_DAY * 1_000_000,
    consolePort: s.CONSOLE_PORT === '' ? undefined : Number(s.CONSOLE_PORT),
    consoleUrl: s.CONSOLE_URL === '' ? undefined : readConsoleUrl(s.CONSOLE_URL),
    signOn: readSignOn(s),
    mail: s.SMTP_URL === '' ? undefined : Object.freeze({ smtpUrl: s.SMTP_URL, from: s.MAIL_FROM }),
    webhookNetworks: listOf(s.WEBHOOK_NETWORKS),
    logLevel: s.LOG_LEVEL,
    metricsProjects: s.METRICS_PROJECTS,
    tracing: tracingOf(s),
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
      retrieveBytes: s.MAX_RETRIEVE_BYTES,
    }),
  };
}

function explain(name: string, keyword: string, params: Record<string, unknown>, given = ''): string {
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
      if (params['format'] === 'pairs') return 'must be `name=value`, separated by commas';
      if (params['format'] === 'port') return 'must be a whole number from 0 to 65535';
      if (params['format'] === 'own_networks') return 'must be addresses or networks with commas, such as 10.0.0.0/8';
      return /\/0+\b/.test(given)
        ? "must name your proxies alone (whoever is trusted may say any address to be the caller's), such as 10.0.0.0/8"
        : 'must be addresses or networks with commas, such as 10.0.0.0/8';
    case 'pattern':
      if (name === 'SMTP_URL') return 'must be a url that begins with smtp:// or smtps://';
      if (name === 'MAIL_FROM') return 'must be an e-mail address, such as pathmend@example.com';
      if (String(params['pattern']).includes('http')) return 'must be a url of http or https, without a login';
      return String(params['pattern']).includes('postgres')
        ? 'must be a url that begins with postgres://'
        : 'must be a number from 0 to 1';
    default:
      return 'is not valid';
  }
}
