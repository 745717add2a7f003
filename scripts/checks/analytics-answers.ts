/**
 * Writes the answers below the questions of analytics.md: those of the demo's month of March 2026, on a database
 * that is made for it (`node .build/scripts/checks/analytics-answers.js`). With `--check` it only says whether they are
 * true, as a test does, too.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { afterMarch, recordMarch } from './demo-month.js';

export const ANALYTICS = join(packageRoot(), 'docs', 'reference', 'analytics.md');

/** Each question with its statement, and the table that stands below it. */
const QUESTION = /(### (\d+)\. .*\n\n```sql\n([\s\S]*?)```\n)(?:\n\|.*\n(?:\|.*\n)*)?/g;

/** The document with each question's answer as the database has it. */
export async function answerQuestions(document: string, client: pg.ClientBase): Promise<string> {
  const answers = new Map<string, string>();
  for (const [, , number = '', statement = ''] of document.matchAll(QUESTION)) {
    const { fields, rows } = await client.query<(string | null)[]>({
      text: statement,
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    });
    const [heads, ...lines] = [fields.map(({ name }) => name), ...rows].map(
      (cells) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |\n`,
    );
    answers.set(number, [heads, `|${'---|'.repeat(fields.length)}\n`, ...lines].join(''));
  }
  return document.replace(
    QUESTION,
    (_, question: string, number: string) => `${question}\n${answers.get(number) ?? ''}`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The answers come with the visits: any model will do, and this one is the fastest.
  const environment = { ...process.env, EMBEDDING_MODEL: 'static' };
  const { service, stop } = await startThrowawayService(environment, undefined, afterMarch());
  try {
    await recordMarch(service);
    const client = await service.database.connection.pool.connect();
    const document = await readFile(ANALYTICS, 'utf8');
    const answered = await answerQuestions(document, client).finally(() => {
      client.release();
    });
    if (!process.argv.includes('--check')) await writeFile(ANALYTICS, answered);
    else if (answered !== document) {
      console.error(
        'docs/reference/analytics.md is out of date; node .build/scripts/checks/analytics-answers.js writes it',
      );
      process.exitCode = 1;
    }
  } finally {
    await stop();
  }
}
