/**
 * Callers that are slow in every way there is, and ten thousand that do nothing, while one more goes on asking:
 * `DATABASE_URL=… node .build/scripts/lab/faults/slow-clients.js [--idle 10000] [--each 50]`. The server's real
 * deadlines are waited for, so it takes two minutes. It must end every one of them, serve the one all the time, and
 * have its memory back after it.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { OperatorError } from '#src/base/errors.js';
import { DEADLINES } from '#src/http/server.js';
import { quantile } from '../../service/many-pages.js';
import { memoryOf } from '../../service/child.js';
import { createUnlimitedProject, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { startProbe } from './overload/probe.js';
import { SLOWNESS, startSlowClient, type SlowClient, type Slowness } from '../../faults/slow-clients/clients.js';

const options = new Command('slow-clients')
  .option('--idle <n>', 'connections that ask once and then do nothing', '10000')
  .option('--each <n>', 'callers that are slow in each other way', '50')
  .parse()
  .opts<{ idle: string; each: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError('Set DATABASE_URL: the service is a process of the role all on a server.');

/** What a deadline may be missed by, for Node's look at its connections and a busy machine. */
const LATE_MS = 10_000;
const ENDED_WITHIN: Record<Slowness, number> = {
  silent: DEADLINES.head,
  head: DEADLINES.head,
  body: DEADLINES.request,
  vanished: DEADLINES.request,
  deaf: DEADLINES.stalledAnswer,
  sipping: DEADLINES.answer,
  idle: DEADLINES.idle,
};
/**
 * Six pages of two megabytes: more than a socket's buffers hold. Fewer such callers, whose answers must find room
 * together.
 */
const PAGES = 6;
const METADATA = 'm'.repeat(2_000_000);
const LARGE_ANSWERS = 8;

const database = await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  DATABASE_URL: database.url,
  MAX_METADATA_BYTES: '3000000',
  MAX_BODY_BYTES: '4000000',
};
const service = await startServiceProcess('all', environment);
const { url } = service;
const key = await createUnlimitedProject('slow', environment);
const ask = (path: string, body: unknown): Promise<Response> =>
  fetch(url + path, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body: JSON.stringify(body) });
for (let i = 0; i < PAGES; i++)
  await ask('/v1/pages/upsert', {
    url: `https://slow.example/${i}`,
    content: `Page ${i} with much metadata.`,
    metadata: { METADATA },
  });
const question = { query: 'a page with much metadata', top_k: PAGES };
while ((await (await ask('/v1/retrieve', question)).text()).length < PAGES * METADATA.length) await pause(500);

const look = async (): Promise<{ rss: number; handles: number; inHand: number }> => ({
  rss: (await memoryOf(service.pid)).rss_mb,
  handles: (await readdir(`/proc/${service.pid}/fd`)).length,
  inHand: Number(/^pathmend_bytes_in_hand (\S+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]),
});

const before = await look();
const probe = startProbe(url, key, ['/page/one', '/page/two']);
await pause(5_000);
const usual = probe.take().map(({ took }) => took);
const startedAt = performance.now();
const slow = (slowness: Slowness): SlowClient =>
  startSlowClient(slowness, { url, key, everyMs: 1_000, largeQuestion: JSON.stringify(question) });
const clients: { kind: Slowness; client: SlowClient }[] = [];
for (const kind of Object.keys(SLOWNESS) as Slowness[]) {
  const count =
    kind === 'idle'
      ? Number(options.idle)
      : kind === 'deaf' || kind === 'sipping'
        ? LARGE_ANSWERS
        : Number(options.each);
  for (let i = 0; i < count; i++) {
    clients.push({ kind, client: slow(kind) });
    // Node accepts one in a turn of its event loop: the others would wait for that in the kernel.
    if (i % 100 === 99) await pause(200);
  }
}
await pause(5_000);
const during = await look();
const deaf = clients.filter(({ kind }) => kind === 'deaf' || kind === 'sipping');
// They would not notice the end of what they do not read.
setTimeout(() => {
  for (const { client } of deaf) client.listen();
}, DEADLINES.answer + LATE_MS);

const statuses: Record<string, number> = {};
const longest: Partial<Record<Slowness, number>> = {};
const faults: string[] = [];
const given = new AbortController();
await Promise.race([
  Promise.all(
    clients.map(async ({ kind, client }) => {
      const { after, status, bytes } = await client.ended;
      statuses[`${kind} ${status}`] = (statuses[`${kind} ${status}`] ?? 0) + 1;
      longest[kind] = Math.max(longest[kind] ?? 0, after);
      if ((kind === 'deaf' || kind === 'sipping') && status === 200 && bytes > PAGES * METADATA.length)
        faults.push(`${kind}: got all of its answer`);
    }),
  ),
  pause(DEADLINES.idle + 6 * LATE_MS, undefined, { signal: given.signal })
    .then(() => faults.push('some were never ended'))
    .catch(() => undefined),
]);
given.abort();
const probed = probe.take();
await probe.stop();
await pause(10_000);
const after = await look();
await service.stop();
await database.drop();

for (const kind of Object.keys(SLOWNESS) as Slowness[]) {
  const most = longest[kind] ?? Infinity;
  // Those who read nothing notice their end only when they listen again.
  if (kind !== 'deaf' && kind !== 'sipping' && most > ENDED_WITHIN[kind] + LATE_MS)
    faults.push(`${kind}: ended after ${Math.round(most / 1000)} s`);
}
const unserved = probed.filter(({ status }) => status !== 200).length;
const refused = probed.filter(({ status }) => status === 503).length;
// Being told once to come again is no harm; being told often is.
if (unserved > refused || refused > probed.length / 100)
  faults.push(`${unserved} requests of the one who asks were not served`);
if (after.inHand > 0) faults.push(`${after.inHand} bytes are still in hand`);
if (after.handles > before.handles + 10) faults.push(`${after.handles - before.handles} handles more than before`);
const took = probed.map((one) => one.took);
const ms = (value: number): string => value.toFixed(1);
process.stdout.write(
  `slow-clients: ${clients.length} connections in ${Math.round((performance.now() - startedAt) / 1000)} s, longest ` +
    `${Object.entries(longest)
      .map(([kind, most]) => `${kind} ${(most / 1000).toFixed(1)} s`)
      .join(', ')}; ended with ${Object.entries(statuses)
      .map(([kind, n]) => `${n} × ${kind}`)
      .join(', ')}; ` +
    `meanwhile ${probed.length - unserved} of ${probed.length} requests served (${refused} refused with 503), p50 ${ms(quantile(took, 0.5))} p99 ${ms(quantile(took, 0.99))} ms (${ms(quantile(usual, 0.5))} and ${ms(quantile(usual, 0.99))} before); ` +
    `memory ${ms(before.rss)} MB before, ${ms(during.rss)} with all of them, ${ms(after.rss)} after; handles ${before.handles}, ${during.handles}, ${after.handles}; bytes in hand ${before.inHand}, ${during.inHand}, ${after.inHand}; ` +
    `${faults.length} faults${faults.map((fault) => `\n  ${fault}`).join('')}\n`,
);
process.exit(faults.length > 0 ? 1 : 0);
