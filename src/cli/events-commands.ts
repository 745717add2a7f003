import { open } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { PathSpellings, type Erasure } from '../platform/database/path-spellings.js';
import { OperatorError } from '../base/errors.js';
import { countOf, wasOrWere } from '../text/count-of.js';
import { eraseEvents } from '../operations/erase-events.js';
import { importNotFounds } from '../events/import-not-founds.js';
import { ScanDetector } from '../events/scan-detector.js';
import { AccessLog, LOG_FORMATS, type LogFormat } from '../text/access-logs/access-log.js';
import { readLogLines } from '../text/access-logs/log-lines.js';
import { isNetwork, plainAddress } from '../text/ip-address.js';
import { requireNotDeleted } from './shared/command-database.js';
import type { CommandContext } from './shared/context.js';
import { OR_STDIN } from './shared/input-file.js';
import { startProgress } from './shared/progress.js';
import { projectCommand } from './shared/project-command.js';

export function addEventsCommands(program: Command, context: CommandContext): void {
  const events = program.command('events');

  projectCommand<{ format?: LogFormat; fields?: string }>(events, context, 'import', {
    description: 'store the 404s and 410s of an access log, which may be packed by gzip; a line counts once',
    takes: (command) =>
      command
        .argument('<file>', OR_STDIN)
        .addOption(
          new Option('--format <format>', 'of the log, if its first lines do not tell it').choices(LOG_FORMATS),
        )
        .option('--fields <fields>', 'keys of a JSON log: path=RequestPath,time=StartUTC'),
    run: async ({ db, config, options, project, say, args: [file = ''] }) => {
      const log = new AccessLog(options.format, options.fields);
      const input = await openInput(file, context);
      const progress =
        input.kibibytes > 0 ? startProgress(context.stderr, 'Importing (KiB)', input.kibibytes) : undefined;
      const showProgress = (): void => progress?.update(input.readKibibytes());
      const { report, reasons, proxy } = await importNotFounds(
        {
          db,
          projectId: project.project_id,
          log,
          ipMode: config.eventIpMode,
          retentionDays: config.eventRetentionDays,
          bytesPerDay: config.historyBytesPerDay,
          now: new Date(),
          scans: new ScanDetector(),
          onProgress: showProgress,
        },
        readLogLines(input.chunks),
      ).finally(() => {
        showProgress();
        progress?.end();
      });
      for (const { line, reason } of reasons) context.stderr.write(`line ${line}: ${reason}\n`);
      if (report.refused > reasons.length)
        context.stderr.write(
          `${countOf(report.refused - reasons.length, 'more line')} ${wasOrWere(report.refused - reasons.length)} refused.\n`,
        );
      if (proxy !== undefined)
        context.stderr.write(
          `All 404s have the address ${proxy}, as of a load balancer: visitors are not told apart, so that nobody is a ` +
            "robot by how much is asked for. Have your server log the visitor's address, such as X-Forwarded-For.\n",
        );
      await requireNotDeleted(db, project);
      say(
        report,
        () =>
          `${countOf(report.not_founds, '404')} stored of ${countOf(report.lines, 'line')}, ${report.robots} of them by robots; ` +
          `${report.duplicates} were stored before, ${countOf(report.refused, 'line')} refused.`,
      );
    },
  });

  projectCommand<{ ip?: string; path?: string }>(events, context, 'forget', {
    description: 'erase what an address sent, or what was sent about a path: 404s, searches, clicks, and in all sums',
    takes: (command) =>
      command
        .option('--ip <address>', 'or a network; addresses that are kept as networks go with the whole of it')
        .option(
          '--path <path>',
          'in every spelling: percent-encoding, case, doubled slashes, accents, site and query string',
        ),
    run: async ({ db, tenants, options, project, say }) => {
      const erasure = erasureOf(options);
      const progress = startProgress(context.stderr, 'Erasing (%)', 100);
      const erased = await eraseEvents({ db, tenants }, project.project_id, erasure, (done, weeks) => {
        progress.update(Math.floor((100 * done) / weeks));
      }).finally(() => progress.end());
      const { rules = 0, pages = 0, tombstones = 0 } = erased.left ?? {};
      say(erased, () =>
        [
          `${erased.not_founds} 404s, ${erased.searches} searches, ${erased.clicks} clicks and ${erased.queued} events ` +
            'that were not stored are erased.',
          ...(rules + pages + tombstones === 0
            ? []
            : [
                `Your own rules and pages stay: ${rules} rules (\`redirects remove\`), ${pages} pages, ` +
                  `${tombstones} deleted pages that are remembered (\`pages forget\`).`,
              ]),
          'What backups hold, and logs of other programs, stays there' +
            ('ip' in erasure ? '' : '; so do longer paths, query strings and questions that hold the path') +
            ': docs/operate/privacy.md.',
        ].join('\n'),
      );
    },
  });
}

/** Reads the address or path to erase. @throws OperatorError unless exactly one of both is named, and is valid */
function erasureOf({ ip, path }: { ip?: string; path?: string }): Erasure {
  if (ip !== undefined && path === undefined) {
    const address = plainAddress(ip);
    if (address !== undefined) return { ip: address };
    if (isNetwork(ip)) return { ip };
    throw new OperatorError(`--ip ${ip}: not an IP address or a network such as 192.0.2.0/24.`);
  }
  if (path !== undefined && ip === undefined) {
    if (path.startsWith('/') && !/[?#\0]/.test(path) && path.isWellFormed()) return { path: new PathSpellings(path) };
    throw new OperatorError(`--path ${path}: not a path that begins with a slash, without query string.`);
  }
  throw new OperatorError('Name what to erase with either --ip or --path.');
}

interface Input {
  chunks: AsyncIterable<Buffer>;
  /** The size of the input; 0: it is not known. */
  kibibytes: number;
  readKibibytes: () => number;
}

/** @throws OperatorError when the file cannot be read */
async function openInput(file: string, { stdin }: CommandContext): Promise<Input> {
  if (file === '-') return { chunks: stdin as AsyncIterable<Buffer>, kibibytes: 0, readKibibytes: () => 0 };
  const handle = await open(file).catch((error: unknown) => {
    throw new OperatorError(`${file} is not a file that can be read.`, { cause: error });
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new OperatorError(`${file} is a folder, not a file.`);
  }
  const chunks = handle.createReadStream();
  const inKibibytes = (bytes: number): number => Math.ceil(bytes / 1_024);
  return { chunks, kibibytes: inKibibytes(stats.size), readKibibytes: () => inKibibytes(chunks.bytesRead) };
}
