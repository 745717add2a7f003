import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';

/** The whole answer to some bytes on a connection of their own. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(sharedService().service.url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  return text(socket);
}

describe('what is no request', () => {
  it('is refused in the form of every error, with an X-Request-Id, and the connection ends', async () => {
    for (const bytes of [
      '\r\n\x16\x03\x01\x02',
      'GET /healthz HTTP/9.9\r\n\r\n',
      'POST /v1/suggest HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    ]) {
      const answer = await answerTo(bytes);
      expect(answer, bytes).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).to.match(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).to.have.nested.property(
        'error.code',
        'invalid_request',
      );
    }
  });

  it('or has a head of more than 64 KiB, is a 431 that says so', async () => {
    const answer = await answerTo(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${'l'.repeat(70_000)}\r\n\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 431 /);
    expect(answer).to.contain('larger than 65536 bytes');
  });

  it('or has a letter in its url that must be encoded, is a 400 that says so', async () => {
    const answer = await answerTo('GET /v1/proxy?url=/gr\xc3\xb6\xc3\x9fe HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer).to.contain('must be percent-encoded');
  });

  it('does not disturb what others ask for at the same time', async () => {
    const { url } = sharedService().service;
    const [answer] = await Promise.all([
      fetch(`${url}/healthz`),
      answerTo('nonsense\r\n\r\n'),
      answerTo('\0\0\0\0\r\n\r\n'),
    ]);
    expect(answer.status).to.equal(200);
  });

  it('but only expects more than we give, is answered as any other', async () => {
    const answer = await answerTo('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: the-moon\r\nConnection: close\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 200 /);
  });
});
