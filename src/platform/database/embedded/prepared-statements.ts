const [PARSE, BIND, PARSE_COMPLETE_TYPE] = [0x50, 0x42, 0x31];
/** A message begins with its type and its length. */
const HEADER_BYTES = 5;

/** PostgreSQL answers a Parse with this message. */
export const PARSE_COMPLETE = Uint8Array.of(PARSE_COMPLETE_TYPE, 0, 0, 0, 4);

/**
 * The prepared statements of the one session of the embedded database, by name. pathmend names a statement by the hash
 * of its text (session/session-settings.ts), so what one connection has prepared is the same for all: a Parse of it is
 * answered here, and the session keeps its plan. After a guest the session has none; the connections do not know that,
 * so a statement is prepared again before it is bound.
 */
export class PreparedStatements {
  /** The Parse message of each statement, by the statement's name. */
  readonly #parses = new Map<string, Uint8Array>();
  readonly #inSession = new Set<string>();

  /** The name that a message of pathmend prepares; undefined for the unnamed statement and for other messages. */
  nameIn(message: Uint8Array): string | undefined {
    return message[0] === PARSE ? textAt(message, HEADER_BYTES) || undefined : undefined;
  }

  has(name: string): boolean {
    return this.#inSession.has(name);
  }

  /** Records that the statement of that name is prepared, unless the answer to its Parse is an error. */
  learn(name: string, parse: Uint8Array, answer: Uint8Array): void {
    if (answer[0] !== PARSE_COMPLETE_TYPE) return;
    this.#parses.set(name, Uint8Array.from(parse));
    this.#inSession.add(name);
  }

  /** Returns the Parse that must be sent before a Bind, where the session no longer has the Bind's statement. */
  missingFor(message: Uint8Array): { name: string; parse: Uint8Array } | undefined {
    if (message[0] !== BIND) return undefined;
    const portal = textAt(message, HEADER_BYTES);
    const name = textAt(message, HEADER_BYTES + portal.length + 1);
    const parse = this.#inSession.has(name) ? undefined : this.#parses.get(name);
    return parse && { name, parse };
  }

  /** Records that the session has lost all prepared statements. */
  clear(): void {
    this.#inSession.clear();
  }
}

/** Reads a text that ends with a zero byte, with one character for each byte. */
function textAt(message: Uint8Array, from: number): string {
  const end = message.indexOf(0, from);
  return Buffer.from(message.subarray(from, Math.max(from, end))).toString('latin1');
}
