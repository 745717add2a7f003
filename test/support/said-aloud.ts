import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { isWellFormedKey } from '#src/keys/api-key.js';

/**
 * Everything that services and commands said aloud while the tests ran: logs (down to debug), answers with their
 * headers, metrics, command lines of processes. When all tests are done it is searched for keys and passwords.
 */
const folder = mkdtempSync(join(tmpdir(), 'pathmend-said-'));
const file = join(folder, 'aloud');
const descriptor = openSync(file, 'a');
const passwords = new Set<string>();

export function saidAloud(text: string): void {
  writeSync(descriptor, `${text}\n`);
}

/** A password that a test gave to a service: it must not be said either. */
export function mustStaySecret(password: string): void {
  passwords.add(password);
}

/** Where services of tests log: all of it is kept, and errors are shown, too. */
export function keptLog(shown: 'error' | 'nothing' = 'error'): NodeJS.WritableStream {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = chunk.toString();
      saidAloud(text);
      if (shown === 'error') for (const line of text.split('\n')) if (line.includes('"level":"error"')) process.stderr.write(`${line}\n`);
      done();
    },
  });
}

/** @throws Error that says where a secret stands, without it. */
export function searchForSecrets(): { characters: number } {
  closeSync(descriptor);
  const text = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  const places = [...text.matchAll(/pm_(?:live|test)_[0-9A-Za-z]{38}/g)].filter(([key]) => isWellFormedKey(key)).map(({ index }) => index);
  for (const password of passwords) for (let at = text.indexOf(password); at >= 0; at = text.indexOf(password, at + 1)) places.push(at);
  if (text.length === 0) throw new Error('nothing was said at all: the search is broken');
  if (places.length > 0) {
    const around = places.slice(0, 5).map((at) => text.slice(Math.max(0, at - 200), at));
    throw new Error(`${places.length} secrets were said aloud, the first ones after:\n${around.join('\n---\n')}`);
  }
  return { characters: text.length };
}
