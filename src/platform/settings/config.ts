import { Ajv, type SchemaObject } from 'ajv';
import { OperatorError } from '../../base/errors.js';
import { OWN_SCHEMA } from '../../base/validate.js';
import type { TracingOptions } from '../telemetry/tracing.js';
import { readConsoleUrl, readSignOn } from './console-settings.js';
import {
  databaseUrlOf,
  type Environment,
  MAY_HOLD_SECRET,
  SECRETS,
  secretFileOf,
  withSecretFiles,
} from './secret-files.js';
import { FORMATS, listOf, pairs } from './setting-kinds.js';
import { SETTINGS, type Settings } from './settings.js';

/** The settings as the code reads them. */
export interface Config extends Readonly<ReturnType<typeof toConfig>> {
  /** They are set where secrets are in files: they return the urls with these files' present content. */
  readonly databaseUrlNow?: () => string;
  readonly databaseDirectUrlNow?: () => string;
  readonly databaseReadUrlNow?: () => string;
}

/** Reads all settings, including those in files. @throws OperatorError */
export function loadConfig(environment: Environment): Config {
  const config = parseConfig(withSecretFiles(environment));
  if (SECRETS.every((name) => secretFileOf(environment, name) === undefined)) return config;
  const { databaseUrl, databaseDirectUrl, databaseReadUrl } = config;
  /** Makes a function that reads a url. While a file is being replaced, it returns the url with the former content. */
  const now = (first: string, name: Parameters<typeof databaseUrlOf>[1]): (() => string) => {
    let last = first;
    return () => (last = databaseUrlOf(environment, name) ?? last);
  };
  return Object.freeze({
    ...config,
    ...(databaseUrl !== undefined && { databaseUrlNow: now(databaseUrl, 'DATABASE_URL') }),
    ...(databaseDirectUrl !== undefined && { databaseDirectUrlNow: now(databaseDirectUrl, 'DATABASE_DIRECT_URL') }),
    ...(databaseReadUrl !== undefined && { databaseReadUrlNow: now(databaseReadUrl, 'DATABASE_READ_URL') }),
  });
}

/** Reads and checks all settings of an environment. Reports all faults together. @throws OperatorError */
export function parseConfig(environment: Environment): Config {
  return Object.freeze(toConfig(parseSettings(environment)));
}

/** Reads the settings by their names, with the defaults filled in. @throws OperatorError */
export function parseSettings(environment: Environment): Settings {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, keywords: ['must'], ...OWN_SCHEMA });
  for (const [name, { accepts }] of Object.entries(FORMATS)) ajv.addFormat(name, accepts);
  const settings: Record<string, unknown> = {};
  const schemas: Record<string, SchemaObject> = {};
  for (const [name, schema] of Object.entries(SETTINGS)) {
    const value = environment[name]?.trim();
    // Compose files and shells use an empty variable for "not set".
    const isGiven = value !== undefined && value !== '';
    settings[name] = isGiven ? value : schema.default;
    if (isGiven) schemas[name] = schema;
  }
  // Only the schemas of given settings are compiled: the command `config` takes 149 ms of CPU, with all it took 222.
  const validate = ajv.compile<Settings>({ type: 'object', properties: schemas });
  if (!validate(settings)) {
    const faults = (validate.errors ?? []).map(({ instancePath, keyword, params }) => {
      const name = instancePath.slice(1);
      // A value that may hold a secret is never printed.
      const shown = MAY_HOLD_SECRET.test(name) ? 'what was given' : JSON.stringify(environment[name]);
      return `${name}: ${explain(keyword, params, schemas[name], environment[name])}, not ${shown}`;
    });
    throw refused(...new Set(faults));
  }
  // Only a server has replicas and poolers.
  for (const name of ['DATABASE_READ_URL', 'DATABASE_DIRECT_URL'] as const)
    if (settings[name] && !settings.DATABASE_URL) throw refused(`${name}: needs DATABASE_URL beside it`);
  readSignOn(settings);
  if ((settings.SMTP_URL === '') !== (settings.MAIL_FROM === ''))
    throw refused('SMTP_URL, MAIL_FROM: one needs the other');
  return settings;
}

function refused(...faults: string[]): OperatorError {
  return new OperatorError(`The settings are not valid:\n  ${faults.join('\n  ')}`);
}

function explain(keyword: string, params: Record<string, unknown>, schema?: SchemaObject, text = ''): string {
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
      return FORMATS[params['format'] as keyof typeof FORMATS].must(text);
    default:
      return String(schema?.['must']);
  }
}

/** Gives settings their names in the code. Undefined: unset. Their meanings are in settings.ts. */
function toConfig(s: Settings) {
  return {
    port: s.PORT,
    workerPort: s.WORKER_PORT,
    host: s.HOST,
    databaseUrl: s.DATABASE_URL || undefined,
    databaseDirectUrl: s.DATABASE_DIRECT_URL || undefined,
    databaseReadUrl: s.DATABASE_READ_URL || undefined,
    databasePool: s.DATABASE_POOL,
    dataDir: s.DATA_DIR,
    /** The default model of projects. `auto`: the model of each project follows its pages. */
    embeddingModel: s.EMBEDDING_MODEL,
    modelCacheDir: modelFolderOf(s),
    embeddingThreads: s.EMBEDDING_THREADS,
    suggestPathEvidence: s.SUGGEST_PATH_EVIDENCE === 'on',
    searchCacheEntries: s.SEARCH_CACHE_ENTRIES,
    ownIndexChunks: s.OWN_INDEX_PASSAGES,
    failedKeysPerMinute: s.FAILED_KEYS_PER_MINUTE,
    trustedProxies: listOf(s.TRUSTED_PROXIES),
    notFoundTemplates: s.NOT_FOUND_TEMPLATES,
    notFoundMaxAge: s.NOT_FOUND_MAX_AGE,
    eventIpMode: s.EVENT_IP_MODE,
    eventRetentionDays: s.EVENT_RETENTION_DAYS,
    /** The days for which deleted pages are remembered, and whether with their content. */
    tombstones: Object.freeze({ days: s.TOMBSTONE_DAYS, withContent: s.TOMBSTONE_CONTENT === 'on' }),
    historyBytesPerDay: s.HISTORY_MB_PER_DAY * 1_000_000,
    consolePort: s.CONSOLE_PORT === '' ? undefined : Number(s.CONSOLE_PORT),
    /** The url of the console, without a slash at its end. */
    consoleUrl: s.CONSOLE_URL === '' ? undefined : readConsoleUrl(s.CONSOLE_URL),
    signOn: readSignOn(s),
    /** The mail server and the sender; undefined: no e-mail. The url may contain a password. */
    mail: s.SMTP_URL === '' ? undefined : Object.freeze({ smtpUrl: s.SMTP_URL, from: s.MAIL_FROM }),
    webhookNetworks: listOf(s.WEBHOOK_NETWORKS),
    siteNetworks: listOf(s.SITE_NETWORKS),
    logLevel: s.LOG_LEVEL,
    metricsProjects: s.METRICS_PROJECTS,
    tracing: tracingOf(s),
    maxInFlightBytes: s.MAX_BYTES_IN_HAND,
  };
}

export function modelFolderOf({ MODEL_CACHE_DIR, DATA_DIR }: Settings): string {
  return MODEL_CACHE_DIR || `${DATA_DIR}/models`;
}

function tracingOf(s: Settings): TracingOptions | undefined {
  const base = s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (url === '' || s.OTEL_SDK_DISABLED === 'true') return undefined;
  return {
    url,
    headers: pairs(s.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: s.OTEL_EXPORTER_OTLP_TIMEOUT,
    sampler: s.OTEL_TRACES_SAMPLER,
    ratio: Number(s.OTEL_TRACES_SAMPLER_ARG),
    resource: { 'service.name': s.OTEL_SERVICE_NAME, ...pairs(s.OTEL_RESOURCE_ATTRIBUTES) },
  };
}
