import { open } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { OperatorError } from '../errors.js';
import { importNotFounds } from '../events/import-not-founds.js';
import { AccessLog, LOG_FORMATS, type LogFormat } from '../text/access-logs/access-log.js';
import { readLogLines } from '../text/access-logs/log-lines.js';
import { print, requireNotDeleted, requireProject, withDatabase, type CommandContext } from './context.js';
import { startProgress } from './progress.js';

export function addEventsCommands(program: Command, context: CommandContext): void {
  const events = program.command('events').description('404s and clicks of a project');

  events
    .command('import')
    .description('store the 404s and 410s of an access log, which may be packed by gzip; a line counts once')
    .argument('<file>', 'or - for standard input')
    .requiredOption('--project <id|name>')
    .addOption(new Option('--format <format>', 'of the log, if its first lines do not tell it').choices(LOG_FORMATS))
    .option('--json', 'one JSON value on stdout')
    .action((file: string, options: { project: string; format?: LogFormat; json?: boolean }) =>
      withDatabase(context, async ({ db, config }) => {
        const project = await requireProject(db, options.project);
        const input = await openInput(file, context);
        const progress =
          input.kibibytes > 0 ? startProgress(context.stderr, 'Importing (KiB)', input.kibibytes) : undefined;
        const showProgress = (): void => progress?.update(input.readKibibytes());
        const { report, reasons } = await importNotFounds(
          {
            db,
            projectId: project.project_id,
            log: new AccessLog(options.format),
            ipMode: config.eventIpMode,
            retentionDays: config.eventRetentionDays,
            bytesPerDay: config.historyBytesPerDay,
            now: new Date(),
            onProgress: showProgress,
          },
          readLogLines(input.chunks),
        ).finally(() => {
          showProgress();
          progress?.end();
        });
        for (const { line, reason } of reasons) context.stderr.write(`line ${line}: ${reason}\n`);
        if (report.refused > reasons.length)
          context.stderr.write(`${report.refused - reasons.length} more lines were refused.\n`);
        await requireNotDeleted(db, project);
        print(
          context,
          options,
          report,
          () =>
            `${report.not_founds} 404s stored of ${report.lines} lines, ${report.robots} of them by robots; ` +
            `${report.duplicates} were stored before, ${report.refused} lines refused.`,
        );
      }),
    );
}

interface Input {
  chunks: AsyncIterable<Buffer>;
  /** 0: not known */
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
