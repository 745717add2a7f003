import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** The mail as it was received, headers first. */
  raw: string;
  /** The unfolded headers by their names in lower case. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

export interface MailReceiver {
  url: string;
  received: ReceivedMail[];
  stop(): Promise<void>;
}

/** A mail server on a free port of this machine that takes mails of one user. */
export async function startMailServer(user: string, password: string): Promise<MailReceiver> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    // This server has no certificate, so that clients must not try TLS.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN'],
    onAuth: (credentials, _session, done) => {
      if (credentials.username === user && credentials.password === password) done(null, { user });
      else done(new Error('Wrong password'));
    },
    onRcptTo: ({ address }, _session, done) => {
      done(address.startsWith('nobody@') ? new Error('There is no such mailbox') : null);
    },
    onData: (stream, session, done) => {
      void text(stream).then((raw) => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({ from, to: rcptTo.map(({ address }) => address), raw, ...parse(raw) });
        done();
      });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    url: `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    received,
    stop: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
      }),
  };
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (type: string): string => {
    const matchingPart = parts.find((part) => part.headers['content-type']?.startsWith(type));
    return matchingPart ? decode(matchingPart.body, matchingPart.headers['content-transfer-encoding'] ?? '') : '';
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

function split(part: string): { headers: Record<string, string>; body: string } {
  const end = part.indexOf('\r\n\r\n');
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { headers: Object.fromEntries(headers), body: part.slice(end + 4) };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n').trimEnd();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replaceAll('\r\n', '\n')
    .trimEnd()
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
