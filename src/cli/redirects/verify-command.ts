import type { Command } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { formatSource } from '../../rule-formats/read/source-address.js';
import { verifyRedirect, type RequestUrl, type Verified } from '../../rule-formats/verify-redirect.js';
import { createHttpClient, guardNamedHosts } from '../../sources/web/http-client.js';
import { followToEnds, readRedirects } from '../../rules/import-export/rules-for-servers.js';
import { listPageUrls } from '../../rules/store/page-urls.js';
import { WildcardExamples } from '../../rules/import-export/wildcard-examples.js';
import { parseUrl } from '../../text/page-url.js';
import type { CommandContext } from '../shared/context.js';
import { inParallel } from '../shared/in-parallel.js';
import { startProgress } from '../shared/progress.js';
import { projectCommand } from '../shared/project-command.js';

/** The maximum number of requests in flight, as many as one visitor's browser opens. */
const CONCURRENCY = 6;
const MAX_HOP_MS = 10_000;

export function addRedirectsVerify(redirects: Command, context: CommandContext): void {
  projectCommand<{ site: string }>(redirects, context, 'verify', {
    description:
      'ask a live site for every known old url; ends with code 0 if each ends on its page, or is gone where it is to be',
    takes: (command) => command.requiredOption('--site <url>', 'where the site is, or a copy of it'),
    run: async ({ db, options, projectId }) => {
      const site = readSite(options.site);
      const rules = await followToEnds(await readRedirects(db, projectId));
      const hosts = new Set<string>();
      const examples = new WildcardExamples(rules);
      for await (const url of listPageUrls(db, projectId)) {
        hosts.add(new URL(url).host);
        examples.addPage(url);
      }
      const oldUrls = [
        ...rules.known,
        ...rules.gone.map((source) => ({ path: formatSource(source), url: null })),
        ...examples.oldUrls,
      ];
      const progress = startProgress(context.stderr, 'Asking', oldUrls.length);
      const results: Verified[] = [];
      let failed = 0;
      let chains = 0;
      const ask = createUrlRequester();
      for await (const verified of inParallel(oldUrls, CONCURRENCY, (old) => verifyRedirect(ask, site, hosts, old))) {
        results.push(verified);
        if (!verified.ok) failed++;
        if (verified.ok && verified.chain) chains++;
        if ((!verified.ok || verified.chain) && !options.json) context.stdout.write(`${describe(verified)}\n`);
        progress.update(results.length);
      }
      progress.end();
      if (options.json)
        context.stdout.write(
          `${JSON.stringify({ site: site.origin, checked: results.length, ok: results.length - failed, failed, chains, loops: results.filter(({ loop }) => loop).length, results })}\n`,
        );
      else context.stdout.write(`${results.length - failed} of ${results.length} old urls end on their page.\n`);
      if (chains > 0) context.stderr.write(`${chains} of these take more than one redirect.\n`);
      if (examples.missing > 0)
        context.stderr.write(`${examples.missing} wildcards are not asked: no page or path below them is known.\n`);
      if (failed > 0) throw new OperatorError(`${failed} of ${results.length} old urls do not end on their page.`);
    },
  });
}

function describe({ path, expected, hops, final, ok, problem }: Verified): string {
  const outcome = ok
    ? `a chain of ${hops.length} redirects to ${final ?? ''}`
    : `${problem ?? ''}${expected === null ? '' : `, not on ${expected}`}`;
  return [`${path}: ${outcome}`, ...hops.map((hop) => `  → ${hop}`)].join('\n');
}

/** @throws OperatorError */
function readSite(text: string): URL {
  const site = parseUrl(text);
  if (!site || !/^https?:$/.test(site.protocol) || site.username !== '' || site.password !== '')
    throw new OperatorError('--site must be a full http or https url.');
  if (site.pathname !== '/' || site.search !== '')
    throw new OperatorError(`--site must be a host without a path, such as ${site.origin}.`);
  return site;
}

/** Creates a function that requests a url. It follows no redirect, and reads no body. */
export function createUrlRequester(): RequestUrl {
  const client = createHttpClient(guardNamedHosts());
  const sent = { 'user-agent': 'pathmend (redirects verify)', accept: 'text/html,*/*;q=0.5' };
  return async (url) => {
    const { status, headers, discard } = await client.ask(url, { headers: sent, totalMs: MAX_HOP_MS });
    discard();
    return { status, location: headers.location ?? null };
  };
}
