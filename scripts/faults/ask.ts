/** The result of one request of a client. */
export interface Heard {
  path: string;
  /** Undefined: no answer came, or half of one. */
  status: number | undefined;
  text: string;
  ms: number;
  /** Seconds, if the answer says when to come again. */
  retryAfter?: number;
}

/** Sends one request and returns its result; it never throws. */
export async function ask(url: string, path: string, method: string, key: string, body: object): Promise<Heard> {
  const sentAt = performance.now();
  const since = (): number => performance.now() - sentAt;
  try {
    const answer = await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    const retryAfter = Number(answer.headers.get('Retry-After') ?? 0);
    return {
      path,
      status: answer.status,
      text: await answer.text(),
      ms: since(),
      ...(retryAfter > 0 && { retryAfter }),
    };
  } catch (error) {
    return {
      path,
      status: undefined,
      text: String(error instanceof Error ? (error.cause ?? error.message) : error),
      ms: since(),
    };
  }
}
