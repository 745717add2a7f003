/**
 * Where the time of a request goes: the service runs in this process under V8's sampling profiler while another sends
 * requests, and PostgreSQL's time is counted apart. `node .build/scripts/lab/bench/profile.js KIND [--pages N]
 * [--seconds 8]`, KIND one of cached, suggest, query, events, ingest (indexing so many pages; each counts as a
 * request); DATABASE_URL names a server, else embedded. Prints the hottest places by own time.
 */
import { Session } from 'node:inspector/promises';
import { Command } from 'commander';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { generate } from './harness.js';
import { indexManyPages } from '../../service/index-many-pages.js';

const program = new Command('profile')
  .argument('<kind>', 'cached, suggest, query, events or ingest')
  .option('--pages <n>', 'pages of the site', '1000')
  .option('--seconds <n>', 'seconds of load', '8')
  .option('--connections <n>', 'requests at once', '16')
  .parse();
const [kind = 'cached'] = program.args;
const options = program.opts<{ pages: string; seconds: string; connections: string }>();

const { service, stop } = await startThrowawayService({
  ...process.env,
  SEARCH_CACHE_ENTRIES: kind === 'cached' ? '1000' : '0',
});
const { key, paths } = await indexManyPages(service, Number(options.pages), 500);

const bodies =
  kind === 'cached'
    ? [{ path: paths[0] }]
    : kind === 'suggest'
      ? paths.map((path) => ({ path }))
      : kind === 'events'
        ? paths.map((path) => ({
            raw_path: path,
            user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Firefox/143.0',
          }))
        : paths.map((path) => ({ query: path.replace(/[^a-z]+/g, ' ').trim() }));
const load = {
  url: `${service.url}/v1/${{ query: 'semantic-search', events: 'events' }[kind] ?? 'suggest'}`,
  headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  bodies: bodies.map((body) => JSON.stringify(body)),
  connections: Number(options.connections),
};
/** What is profiled: searches for some seconds, or the indexing of another site. */
async function work(seconds: number): Promise<{ requests: number; perSecond: number; p50: number; p99: number }> {
  if (kind !== 'ingest') return generate({ ...load, seconds });
  const { seconds: took } = await indexManyPages(service, Number(options.pages), 1);
  return { requests: Number(options.pages), perSecond: Number(options.pages) / took, p50: 0, p99: 0 };
}

await work(2);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 200 });
await session.post('Profiler.start');
const before = process.cpuUsage();
const result = await work(Number(options.seconds));
const used = process.cpuUsage(before);
const { profile } = await session.post('Profiler.stop');

const own = new Map<string, number>();
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
profile.samples?.forEach((id, i) => {
  const frame = nodes.get(id)?.callFrame;
  const file = (frame?.url ?? '')
    .replace(/^.*\/(?=node_modules|dist|\.build)/, '')
    .replace(/^node_modules\/((?:@[^/]+\/)?[^/]+)(?:\/.*)?$/, '$1');
  const place = `${frame?.functionName === '' ? '(anonymous)' : (frame?.functionName ?? '?')} ${file}`;
  own.set(place, (own.get(place) ?? 0) + (profile.timeDeltas?.[i] ?? 0));
});
const total = [...own.values()].reduce((a, b) => a + b, 0);
const idle = [...own].filter(([place]) => /^\((idle|program)\)/.test(place)).reduce((sum, [, time]) => sum + time, 0);
process.stdout.write(
  `${kind}, ${options.pages} pages: ${result.perSecond.toFixed(0)} requests/s, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms, `,
);
process.stdout.write(
  `${((used.user + used.system) / 1000 / result.requests).toFixed(2)} ms CPU of this process each, idle ${((100 * idle) / total).toFixed(0)}%\n`,
);
const byFile = new Map<string, number>();
for (const [place, time] of own) {
  const module = place.slice(place.lastIndexOf(' ') + 1);
  const name = module === '' || module.startsWith('(') ? place.trim() : module;
  byFile.set(name, (byFile.get(name) ?? 0) + time);
}
for (const [name, time] of [...byFile].sort((a, b) => b[1] - a[1]).slice(0, 15)) {
  process.stdout.write(`  ${(time / result.requests).toFixed(0).padStart(5)} µs each in ${name}\n`);
}
for (const [place, time] of [...own].sort((a, b) => b[1] - a[1]).slice(0, 25)) {
  process.stdout.write(
    `${((100 * time) / (total - idle)).toFixed(1).padStart(5)}%  ${(time / result.requests).toFixed(0).padStart(5)} µs each  ${place}\n`,
  );
}
await stop();
process.exit();
