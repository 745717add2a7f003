import { writeFile } from 'node:fs/promises';
import { OperatorError } from '../../base/errors.js';

/** Input and output of commands, besides the database. */
export interface CommandContext {
  environment: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** One JSON value for programs, or lines for people. */
export function print(
  context: CommandContext,
  { json }: { json?: boolean },
  value: unknown,
  lines: () => string,
): void {
  context.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines()}\n`);
}

/** Columns of equal width. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes what a command makes to the file of `--out`. @throws OperatorError */
export async function writeOut(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be written.`, { cause: error });
  });
}
