import { readFile, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '#src/base/package-root.js';
import { listen } from './listen.js';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  text: string;
  // Tests read bodies of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  stop(): Promise<void>;
}

/** A server on a free port of this machine that keeps what is posted to it. */
export async function startReceiver(
  answer: (response: ServerResponse, received: ReceivedWebhook[]) => void = (response) => response.end(),
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const listening = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        received.push({ headers: request.headers, text, body: text === '' ? undefined : JSON.parse(text) });
        answer(response, received);
      });
      response.on('error', () => undefined);
    }),
  );
  return { url: `${listening.url}/hook?token=kept-secret`, received, stop: () => listening.stop() };
}

export type IsFromPathmend = (secret: string, headers: IncomingHttpHeaders, body: string) => boolean;

/** The function that docs/operate/watch.md prints, as it stands there. */
export async function documentedCheck(): Promise<IsFromPathmend> {
  const document = await readFile(join(packageRoot(), 'docs', 'operate', 'watch.md'), 'utf8');
  const code = /```js\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
  const file = join(await mkdtemp(join(tmpdir(), 'pathmend-webhook-')), 'check.mjs');
  await writeFile(file, code);
  return ((await import(pathToFileURL(file).href)) as { isFromPathmend: IsFromPathmend }).isFromPathmend;
}
