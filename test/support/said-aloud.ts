import { appendFileSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { isWellFormedKey } from '#src/projects/api-key.js';
import { runFolder } from './run.js';

/**
 * Files whose names begin so have everything that services and commands made public while the tests ran: logs (down to
 * debug), answers with their headers, metrics, command lines of processes. After all tests they are searched for keys
 * and passwords.
 */
const ALOUD = 'aloud-';
const PASSWORDS = 'passwords';
let descriptor: number | undefined;

export function saidAloud(text: string): void {
  descriptor ??= openSync(join(runFolder(), `${ALOUD}${process.pid}`), 'a');
  appendFileSync(descriptor, `${text}\n`);
}

/** Notes a password that a test gave to a service: the public texts must not contain it either. */
export function mustStaySecret(password: string): void {
  appendFileSync(join(runFolder(), PASSWORDS), `${password}\n`);
}

/** The stream to which services of tests log: it keeps all of the log, and shows errors, too. */
export function keptLog(shown: 'error' | 'nothing' = 'error'): NodeJS.WritableStream {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = chunk.toString();
      saidAloud(text);
      if (shown === 'error')
        for (const line of text.split('\n')) if (line.includes('"level":"error"')) process.stderr.write(`${line}\n`);
      done();
    },
  });
}

/**
 * Searches the public texts of all processes of the run; returns the number of characters that it searched.
 * @throws Error that says where a secret stands, without the secret.
 */
export function searchForSecrets(): number {
  const files = readdirSync(runFolder());
  const read = (file: string): string => readFileSync(join(runFolder(), file), 'utf8');
  const passwords = files.includes(PASSWORDS) ? read(PASSWORDS).trimEnd().split('\n') : [];
  const texts = files.filter((file) => file.startsWith(ALOUD)).map(read);
  const leaks = texts.flatMap((text) => secretsIn(text, passwords));
  if (leaks.length > 0)
    throw new Error(
      `${leaks.length} secrets were said aloud, the first ones after:\n${leaks.slice(0, 5).join('\n---\n')}`,
    );
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Returns the text before each secret: at most 200 characters. */
function secretsIn(text: string, passwords: readonly string[]): string[] {
  const places = [...text.matchAll(/pm_(?:live|test)_[0-9A-Za-z]{38}/g)]
    .filter(([key]) => isWellFormedKey(key))
    .map(({ index }) => index);
  for (const password of passwords)
    for (let at = text.indexOf(password); at >= 0; at = text.indexOf(password, at + 1)) places.push(at);
  return places.map((at) => text.slice(Math.max(0, at - 200), at));
}
