import { availableParallelism } from 'node:os';
import { SAMPLERS } from '../telemetry/tracing.js';
import { CONSOLE_SETTINGS } from './console-settings.js';
import { choice, count, inFormat, pattern, text, type ValuesOf } from './setting-kinds.js';

const postgres = (description: string) =>
  pattern('^(postgres(ql)?://.*)?$', 'a url that begins with postgres://', description);
/** A url of http or https without a login, which would be sent unencrypted. */
const url = (description: string) =>
  pattern('^(https?://[^\\s@?#]+)?$', 'a url of http or https, without a login', description);

/** Every setting with type, default and description. docs/reference/settings.md is generated from it. */
export const SETTINGS = {
  PORT: count(0, 65_535, 8080, 'port of the API; 0: a free one'),
  WORKER_PORT: count(
    0,
    65_535,
    0,
    'port of `/readyz` and `/metrics` of `serve --role worker`; 0: a free one, which it prints',
  ),
  HOST: text('127.0.0.1', 'address to listen on'),
  DATABASE_URL: postgres('PostgreSQL server; unset: an embedded PostgreSQL in DATA_DIR'),
  DATABASE_DIRECT_URL: postgres(
    'the same server without its pooler (PgBouncer), for migrations, job notifications and index builds; unset: DATABASE_URL',
  ),
  DATABASE_READ_URL: postgres('a read replica for searches; unset: the server itself'),
  DATABASE_POOL: count(2, 500, 10, 'max database connections per process; the replica gets as many'),
  DATA_DIR: text('./data', 'folder of the embedded database'),
  EMBEDDING_MODEL: text(
    'auto',
    'default model of projects: `auto` (by the languages of their pages), `english`, `multilingual`, `static`, a local folder or a hub id',
  ),
  MODEL_CACHE_DIR: text('', 'folder for downloaded models; unset: DATA_DIR/models'),
  EMBEDDING_THREADS: count(
    1,
    64,
    Math.max(1, Math.min(4, availableParallelism() - 1)),
    'max threads that embed pages; queries have one more. Each holds the model',
  ),
  SUGGEST_PATH_EVIDENCE: choice(['on', 'off'], 'on', 'off: `suggest` compares content only'),
  SEARCH_CACHE_ENTRIES: count(0, 1_000_000, 10_000, 'cached answers per process; 0: no cache'),
  OWN_INDEX_PASSAGES: count(
    0,
    1_000_000_000,
    20_000,
    'chunks at which a project gets its own indexes (PostgreSQL server only); 0: never',
  ),
  FAILED_KEYS_PER_MINUTE: count(
    0,
    1_000_000,
    100,
    'max requests with an invalid key per address and minute, then 429; 0: no limit',
  ),
  TRUSTED_PROXIES: inFormat(
    'networks',
    "your proxies' addresses or networks, separated by commas; pathmend trusts their `X-Forwarded-For`",
  ),
  NOT_FOUND_TEMPLATES: text(
    '',
    'folder with templates of the 404 page: `not-found.html`, `PROJECT_ID.html`; unset: a plain page',
  ),
  NOT_FOUND_MAX_AGE: count(
    0,
    86_400,
    0,
    'seconds that caches may keep an answer of `GET /v1/not-found`; cached 404s are not recorded',
  ),
  EVENT_IP_MODE: choice(
    ['full', 'truncate', 'drop'],
    'truncate',
    "how visitors' IP addresses are stored: in full, cut to /24 (IPv6: /48), or not at all",
  ),
  EVENT_RETENTION_DAYS: count(1, 36_500, 400, 'days that searches and events are kept; whole weeks are dropped'),
  TOMBSTONE_DAYS: count(
    0,
    36_500,
    400,
    'days that a deleted page is remembered, to recognise its content under another URL; 0: never',
  ),
  TOMBSTONE_CONTENT: choice(['on', 'off'], 'off', 'on: the content of a deleted page is kept, too'),
  HISTORY_MB_PER_DAY: count(
    1,
    1_000_000,
    500,
    'max megabytes of searches stored per project and day, and as many of events; the rest is only counted',
  ),
  ...CONSOLE_SETTINGS,
  LOG_LEVEL: choice(['error', 'warn', 'info', 'debug'], 'info', 'lowest level to log'),
  MAX_BYTES_IN_HAND: count(
    1_048_576,
    1_099_511_627_776,
    268_435_456,
    'max bytes of request bodies and large answers in flight per process; above: 503',
  ),
  // The first setting here limits the projects that /metrics names. The others are the standard settings of
  // OpenTelemetry that pathmend supports.
  METRICS_PROJECTS: count(
    0,
    1_000,
    0,
    'max active projects with their own labels in /metrics; the others share one. 0: none',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'OpenTelemetry collector (OTLP/HTTP), such as `http://127.0.0.1:4318`; unset: no traces',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('full URL for traces; unset: the URL above with `/v1/traces`'),
  OTEL_EXPORTER_OTLP_HEADERS: inFormat('pairs', 'headers for the collector: `name=value`, separated by commas'),
  OTEL_EXPORTER_OTLP_TIMEOUT: count(1, 60_000, 10_000, 'timeout of the collector in milliseconds'),
  OTEL_SERVICE_NAME: text('pathmend', 'service name in traces'),
  OTEL_RESOURCE_ATTRIBUTES: inFormat('pairs', 'attributes for traces: `name=value`, separated by commas'),
  OTEL_TRACES_SAMPLER: choice(SAMPLERS, 'parentbased_always_on', 'which requests and jobs are traced'),
  OTEL_TRACES_SAMPLER_ARG: {
    ...pattern(
      '^(0|1|0?\\.\\d+|[01]\\.0*)$',
      'a number from 0 to 1',
      'share to trace, 0 to 1, for the `…traceidratio` samplers',
    ),
    default: '1',
  },
  OTEL_SDK_DISABLED: choice(['true', 'false'], 'false', 'true: no traces'),
};

export type Settings = ValuesOf<typeof SETTINGS>;
