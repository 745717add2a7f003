/** `npm run eval -- --help` says what it does; docs/evidence/evaluation.md how to use it. */
import { writeFile } from 'node:fs/promises';
import { OperatorError } from '#src/base/errors.js';
import { macroAverage } from './average.js';
import { evaluateSite, type SiteMeasures, type SiteResult } from './evaluate-site.js';
import { readOptions, withSites } from './options.js';
import { renderReport } from './report/page.js';
import { renderTable } from './table.js';
import { startThrowawayService } from './throwaway-service.js';

const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv);
  await withSites(options, process.env, async (sites, environment) => {
    const { service, stop } = await startThrowawayService(environment);
    try {
      const results: SiteResult[] = [];
      for (const load of sites) {
        const site = await load();
        for (const { reason, count, examples } of site.leftOut) {
          tell(
            `${site.name}: ${count} left out: ${reason}${examples.length > 0 ? `, such as ${examples.join('; ')}` : ''}`,
          );
        }
        results.push(
          await evaluateSite(service, site, {
            most: options.most,
            peers: options.peers,
            titlesInContent: options.titlesInContent,
            tell,
          }),
        );
      }
      const measures: Record<string, SiteMeasures> = Object.fromEntries(
        results.map((result) => [result.site.name, result.measures]),
      );
      const json = options.peers ? { ...measures, macro_average: macroAverage(Object.values(measures)) } : measures;
      process.stdout.write(options.json ? `${JSON.stringify(json)}\n` : `${renderTable(results, options.precision)}\n`);
      if (options.report !== undefined) {
        await writeFile(options.report, renderReport(results, options.precision));
        tell(`The report is in ${options.report}`);
      }
    } finally {
      await stop();
    }
  });
}

try {
  await main();
} catch (error) {
  tell(
    error instanceof OperatorError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error),
  );
  process.exitCode = 1;
}
process.exit();
