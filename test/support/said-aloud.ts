import { appendFileSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { isWellFormedKey } from '#src/projects/api-key.js';
import { runFolder } from './run.js';

/**
 * Everything that services and commands said aloud while the tests ran: logs (down to debug), answers with their
 * headers, metrics, command lines of processes. When all tests are done it is searched for keys and passwords.
 */
const ALOUD = 'aloud-';
const PASSWORDS = 'passwords';
let descriptor: number | undefined;

export function saidAloud(text: string): void {
  descriptor ??= openSync(join(runFolder(), `${ALOUD}${process.pid}`), 'a');
  appendFileSync(descriptor, `${text}\n`);
}

/** A password that a test gave to a service: it must not be said either. */
export function mustStaySecret(password: string): void {
  appendFileSync(join(runFolder(), PASSWORDS), `${password}\n`);
}

/** Where services of tests log: all of it is kept, and errors are shown, too. */
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
 * Returns how many characters it searched, of all processes of the run.
 * @throws Error that says where a secret stands, without it.
 */
export function searchForSecrets(): number {
  const files = readdirSync(runFolder());
  const read = (file: string): string => readFileSync(join(runFolder(), file), 'utf8');
  const passwords = files.includes(PASSWORDS) ? read(PASSWORDS).trimEnd().split('\n') : [];
  const texts = files.filter((file) => file.startsWith(ALOUD)).map(read);
  const found = texts.flatMap((text) => secretsIn(text, passwords));
  if (found.length > 0)
    throw new Error(
      `${found.length} secrets were said aloud, the first ones after:\n${found.slice(0, 5).join('\n---\n')}`,
    );
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** What stands before each of them. */
function secretsIn(text: string, passwords: readonly string[]): string[] {
  const places = [...text.matchAll(/pm_(?:live|test)_[0-9A-Za-z]{38}/g)]
    .filter(([key]) => isWellFormedKey(key))
    .map(({ index }) => index);
  for (const password of passwords)
    for (let at = text.indexOf(password); at >= 0; at = text.indexOf(password, at + 1)) places.push(at);
  return places.map((at) => text.slice(Math.max(0, at - 200), at));
}
