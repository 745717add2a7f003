import { connect } from 'node:net';
import type { FuzzedRequest } from './requests.js';

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: Buffer;
}

/** No request of ours may take longer; the service's own deadlines are shorter. */
const DEADLINE_MS = 60_000;

/**
 * Sends a request as the bytes that it is, on a connection of its own, and reads one answer. Undefined when the
 * connection ended without one, which is an answer to a broken head or frame only.
 */
export function sendRaw(port: number, request: FuzzedRequest): Promise<RawAnswer | undefined> {
  return new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const deadline = setTimeout(() => {
      socket.destroy();
      failed(new Error(`no answer within ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A server that answers before it has read all of a refused body resets the connection: the answer counts.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(deadline);
      done(readAnswer(Buffer.concat(chunks), request.method));
    });
    socket.write(toBytes(request));
    // Half-closed: whatever the server waits for will not come.
    if (request.framing === 'too short' || request.framing === 'broken chunks') socket.end();
  });
}

function toBytes({ method, target, headers, body, framing }: FuzzedRequest): Buffer {
  const all: [string, string][] = [['Host', '127.0.0.1'], ['Connection', 'close'], ...headers];
  const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
  let sent = body;
  if (framing === 'length') all.push(['Content-Length', String(body.length)]);
  if (framing === 'too long') all.push(['Content-Length', String(Math.max(0, body.length - 3))]);
  if (framing === 'too short') all.push(['Content-Length', String(body.length + 10)]);
  if (framing === 'both') all.push(['Content-Length', String(body.length)]);
  if (framing === 'chunked' || framing === 'both' || framing === 'broken chunks')
    all.push(['Transfer-Encoding', 'chunked']);
  if (framing === 'chunked' || framing === 'both') sent = body.length === 0 ? Buffer.from('0\r\n\r\n') : chunked;
  if (framing === 'broken chunks') sent = Buffer.concat([Buffer.from('zz\r\n'), body]);
  if (framing === 'none') sent = Buffer.alloc(0);
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), sent]);
}

function readAnswer(bytes: Buffer, method: string): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  // After "100 Continue" the answer proper follows.
  if (status === 100) return readAnswer(bytes.subarray(end + 4), method);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = bytes.subarray(end + 4);
  const body =
    headers.get('transfer-encoding') === 'chunked'
      ? dechunk(rest)
      : rest.subarray(0, Number(headers.get('content-length') ?? rest.length));
  return { status, headers, body: method === 'HEAD' ? Buffer.alloc(0) : body };
}

function dechunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (end === -1 || !(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
