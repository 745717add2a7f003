/** Thread that attacks until it is ended: its own work must not delay what the client beside it measures. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { formTokenOf } from '#src/console/shared/session.js';
import { postForm, startSite } from './victims.js';
import { postRequest, RawConnection } from '../raw-connection.js';
import type { AttackName, Attacked } from '../attacks.js';

const { name, url, consoleUrl, session, projectId, key, slow, admin } = workerData as Attacked & {
  name: AttackName;
  /** Sets the sources of the slow sites, as their owners would. */
  admin: string;
};

let answered: Record<string, number> = {};
const count = (status: number | string): void => {
  answered[status] = (answered[status] ?? 0) + 1;
};
parentPort?.on('message', () => {
  parentPort?.postMessage(answered);
  answered = {};
});

async function ask(path: string, init: RequestInit): Promise<void> {
  try {
    const answer = await fetch(path, { redirect: 'manual', ...init });
    await answer.arrayBuffer();
    count(answer.status);
  } catch {
    count('none');
  }
}

const post = (path: string, body: object): Promise<void> =>
  ask(url + path, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body: JSON.stringify(body) });
const transfer = `${consoleUrl}/p/${projectId}/redirects/transfer`;
const cookie = `__Host-pathmend=${session}`;
const importText = (text: string): Promise<void> =>
  ask(`${transfer}/import`, {
    method: 'POST',
    headers: { cookie, Origin: new URL(consoleUrl).origin, 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ form_token: formTokenOf(session), text, format: '' }),
  });

/** So many at once, each again and again. */
function repeat(times: number, sendRequest: (n: number) => Promise<void>): void {
  for (let n = 0; n < times; n++)
    void (async () => {
      for (;;) await sendRequest(n);
    })();
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const letters = (length: number): string =>
  Array.from(randomBytes(length), (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');

const tried = [{ path: '/old', target: '/new' }];
const tryPaths = (of: string): Promise<void> =>
  post('/v1/rules/try', { paths: Array.from({ length: 100 }, (_, n) => `/${of}-${n}/x`), rules: tried });

const ATTACKS: Record<AttackName, () => void> = {
  nesting: () => {
    const texts = [`{"redirects":[${'[{'.repeat(2_000)}`, `{"redirects":[${'{['.repeat(2_180)}`];
    repeat(2, (n) => importText(texts[n] ?? ''));
  },
  import: () => {
    repeat(2, () => importText(`{"redirects":[${'"'.repeat(490_000)}`));
  },
  export: () => {
    const formats = ['haproxy', 'apache', 'iis'];
    repeat(3, (n) => ask(`${transfer}?format=${formats[n] ?? ''}`, { headers: { cookie } }));
  },
  lines: () => {
    repeat(1_500, async (n) => {
      const connection = new RawConnection(url);
      const line = n % 2 === 0 ? `${' '.repeat(n)}${key}` : `pm_live_${letters(38)}`;
      while (!connection.ended)
        count((await connection.send(postRequest('/v1/suggest', line, '{"path":"/old/page"}'))).status);
    });
  },
  retrieve: () => {
    repeat(1, () => post('/v1/retrieve', { query: 'a page of the archive', top_k: 100 }));
  },
  words: () => {
    for (let n = 0; n < 4; n++)
      void post('/v1/pages/upsert', { url: `https://attack.example/word-${n}`, content: letters(1_000_000) });
  },
  events: () => {
    const user_agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    let sent = 0;
    repeat(8, () => {
      const timestamp = new Date(Date.now() - (sent % 390) * 86_400_000).toISOString();
      return post('/v1/events', { raw_path: `/junk/${sent++}`, user_agent, timestamp });
    });
  },
  chains: () => {
    repeat(2, (n) => post('/v1/rules/try', { paths: [`/a-${n}`] }));
  },
  refused: () => {
    const long = (n: number): string => `/${'a-part-of-it/'.repeat(18)}${'a-part-of-it-'.repeat(45)}${n}`;
    const rules = Array.from({ length: 1_000 }, (_, n) => ({
      path: long(n),
      target: n < 999 ? long(-n) : 'no address',
    }));
    repeat(4, () => post('/v1/rules', { rules }));
  },
  tries: () => {
    repeat(4, () => tryPaths('section'));
  },
  spellings: () => {
    repeat(4, () => tryPaths('sectionname'));
  },
  matches: () => {
    repeat(16, (n) => post('/v1/suggest', { path: `/${'a'.repeat(40)}${n}-${Date.now()}${'b'.repeat(40)}` }));
  },
  uploads: () => {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
    repeat(20, async () => {
      await ask(`${consoleUrl}/p/${projectId}/redirects/map/upload`, {
        method: 'POST',
        headers: { cookie, 'Sec-Fetch-Site': 'same-origin', 'content-type': 'multipart/form-data; boundary=b' },
        body: new ReadableStream<Uint8Array>({
          start: (stream) => {
            stream.enqueue(Buffer.from(head));
          },
          pull: async (stream) => {
            await pause(1_000);
            stream.enqueue(Buffer.from('/a\n'));
          },
        }),
        duplex: 'half',
      });
      await pause(1_000);
    });
  },
  sites: () => {
    void startSite(1_000, 60).then(async (source) => {
      for (const id of slow) {
        const person = { consoleUrl, session: admin, projectId: id };
        await postForm(person, `/p/${id}/connect/source`, { source });
        count((await postForm(person, `/p/${id}/connect/sync`)) === '' ? 'none' : 'begun');
      }
    });
  },
};

ATTACKS[name]();
