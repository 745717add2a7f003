import { readFile } from 'node:fs/promises';
import { OperatorError } from '#src/base/errors.js';

/** A row of a JSON-lines file, and where it stands. */
export interface JsonLine {
  /** The place of the row, as `file:line`. */
  where: string;
  row: Record<string, unknown>;
}

/** @throws OperatorError when the file cannot be read. */
export async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** @throws OperatorError that names the line which is no JSON object. */
export async function readJsonLines(file: string): Promise<JsonLine[]> {
  return parseJsonLines(await readText(file), file);
}

function parseJsonLines(text: string, file: string): JsonLine[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const where = `${file}:${index + 1}`;
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch (error) {
      throw new OperatorError(`${where}: not valid JSON`, { cause: error });
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new OperatorError(`${where}: not a JSON object`);
    return [{ where, row: row as Record<string, unknown> }];
  });
}

/** @throws OperatorError that names the line and the field. */
export function textField({ where, row }: JsonLine, name: string): string {
  const value = row[name];
  if (typeof value !== 'string' || value.trim() === '')
    throw new OperatorError(`${where}: ${name} must be a text that is not empty`);
  return value;
}
