import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

/** A query of 2,000 characters, each nine bytes as a percent-encoded parameter, is 18 kB; Node's default is 16. */
export const MAX_HEADER_BYTES = 65_536;

/**
 * Bytes that are no HTTP request never reach the app. They are answered with an error in the API's form, and the
 * connection ends. A connection that has carried bytes of an answer ends without one: it could fall into the middle.
 */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = refusalOf(error.code);
  const body = JSON.stringify({ error: { code: 'invalid_request', message } });
  socket.end(
    `HTTP/1.1 ${status}\r\nX-Request-Id: ${randomUUID()}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function refusalOf(code = ''): [status: string, message: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', `The request's head is larger than ${MAX_HEADER_BYTES} bytes.`];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'The request did not come to its end in time.'];
    case 'HPE_INVALID_URL':
      return ['400 Bad Request', 'The url of the request has a character that must be percent-encoded.'];
    default:
      return ['400 Bad Request', 'This is not a request of HTTP/1.1.'];
  }
}
