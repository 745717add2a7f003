import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Option, type Command } from 'commander';
import { type Config, loadConfig } from '../platform/settings/config.js';
import { DEMO_CONSOLE_PORT } from '../platform/settings/console-settings.js';
import { createLogger } from '../platform/telemetry/create-logger.js';
import { misspeltSettings } from '../platform/settings/effective-settings.js';
import type { Role, Service } from '../app/service.js';
import { print, type CommandContext } from './shared/context.js';
import { waitForIndex } from './shared/progress.js';

/**
 * By default V8 lets garbage grow to several times the live heap when the machine has free memory. An api process under
 * uncached searches took 365 MB, and 247 with this flag, at the same speed. It applies to the heaps of threads, too.
 */
const HEAP_FLAGS = '--heap-growing-percent=20';

/** The maximum time of a stop: less than the ten seconds that operators usually grant between SIGTERM and SIGKILL. */
const MAX_STOP_MS = 9_500;

/** The maximum time of a stop before the start is announced, since a person may wait. Cut-off jobs run later. */
const MAX_EARLY_STOP_MS = 1_500;

interface ServeOptions {
  role: Role;
  demo?: boolean;
  json?: boolean;
}

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .addOption(
      new Option('--role <role>', 'api: answers requests; worker: does the jobs')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .option('--demo', 'make a project with the bundled example site and say what to try')
    .option('--json', 'one JSON value on stdout when ready')
    .action((options: ServeOptions) => serve(context, options));
}

const LOOPBACK = /^http:\/\/(127\.|\[::1\]|\[::ffff:127\.)/;
const PLAIN_HTTP =
  'The API speaks plain HTTP and listens beyond this machine: put a proxy with TLS in front of it, or keys can be read on the way.';

/** Loads the settings. The demo has a console unless configured otherwise, on any free port if the API is, too. */
function configOf({ environment }: CommandContext, { demo: isDemo, role }: ServeOptions): Config {
  const config = loadConfig(environment);
  if (!isDemo || role === 'worker' || config.consolePort !== undefined) return config;
  return { ...config, consolePort: config.port === 0 ? 0 : DEMO_CONSOLE_PORT };
}

async function serve(context: CommandContext, options: ServeOptions): Promise<void> {
  const config = configOf(context, options);
  setFlagsFromString(HEAP_FLAGS);
  // The output of the demo is for a person: no lines about requests between its own.
  const level = options.demo && config.logLevel === 'info' ? 'warn' : config.logLevel;
  const logger = createLogger(level, context.stderr);
  for (const warning of misspeltSettings(context.environment)) logger.warn(warning);
  const folder = config.databaseUrl === undefined ? resolve(config.dataDir) : undefined;
  if (options.demo && folder !== undefined)
    context.stderr.write(
      `Starting the embedded database in ${folder} and the model (the first start takes some seconds) …\n`,
    );
  const stopRequested = new Promise<string>((tell) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => tell(signal));
  });
  // This is imported here only: other commands start in three quarters of the time without it.
  const { startService } = await import('../app/service.js');
  const service = await Promise.race([startService({ config, role: options.role, logger }), stopRequested]);
  if (typeof service === 'string') {
    logger.info('stopped before it served', { reason: service });
    // It has served no request. The next start continues its work, as after a kill.
    process.exit(0);
  }
  logger.info('serving', {
    url: service.url,
    role: options.role,
    ...(folder !== undefined && { data_folder: folder }),
  });
  const warnings = options.role === 'worker' || LOOPBACK.test(service.url) ? [] : [PLAIN_HTTP];
  // The demo prints warnings for the person who reads its output; else the log has them, once.
  if (!options.demo) for (const warning of warnings) logger.warn(warning);
  const announce = await Promise.race([prepareAnnouncement(service, context, options, warnings), stopRequested]);
  if (typeof announce !== 'string') announce();
  const stopping = new AbortController();
  const traffic =
    typeof announce === 'string' ? undefined : recordDemo(service, context, options, config, stopping.signal);
  const reason = await stopRequested;
  stopping.abort();
  logger.info('stopping', { reason });
  // A second signal ends the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(1));
  const deadline = setTimeout(
    () => {
      logger.warn('what was in flight did not finish in time');
      process.exit(0);
    },
    typeof announce === 'string' ? MAX_EARLY_STOP_MS : MAX_STOP_MS,
  );
  // SIGINT comes from a person, not from a load balancer: no drain.
  if (reason === 'SIGTERM') await service.drain();
  await traffic;
  await service.stop();
  clearTimeout(deadline);
}

/** Writes the demo's traffic while it serves. It is an ornament: a failure is only logged. */
async function recordDemo(
  service: Service,
  context: CommandContext,
  { demo, json = false }: ServeOptions,
  { eventRetentionDays }: Config,
  signal: AbortSignal,
): Promise<void> {
  if (!demo) return;
  const { recordDemoTraffic } = await import('../app/demo/run-demo.js');
  try {
    await recordDemoTraffic(service, eventRetentionDays, signal);
    if (!json && !signal.aborted) context.stdout.write('The month of generated traffic is written.\n');
  } catch (error) {
    service.deps.logger.warn('the traffic of the demo could not be recorded', { error });
  }
}

/** Returns a function that prints where the service is. The demo first makes its project and has it indexed. */
async function prepareAnnouncement(
  service: Service,
  context: CommandContext,
  { role, demo: isDemo, json = false }: ServeOptions,
  warnings: string[],
): Promise<() => void> {
  const { url, consoleUrl } = service;
  const shown = { url, role, ...(consoleUrl !== undefined && { console_url: consoleUrl }) };
  const atConsole = consoleUrl === undefined ? [] : [`Its console is at ${consoleUrl}`];
  if (!isDemo)
    return () => {
      const serving = `pathmend serves at ${url} (${role})`;
      print(context, { json }, shown, () => [serving, ...atConsole].join('\n'));
    };
  const { demoText, prepareDemo } = await import('../app/demo/run-demo.js');
  const demo = await prepareDemo(service);
  await waitForIndex(service.db, demo.projectId, context);
  return () => {
    if (json) print(context, { json }, { ...shown, ...demo }, () => '');
    else context.stdout.write([demoText(service, demo), ...warnings.map((warning) => `${warning}\n`)].join('\n'));
  };
}
