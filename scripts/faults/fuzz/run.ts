import fc from 'fast-check';
import type { Service } from '#src/app/service.js';
import { ALL_OPERATIONS } from '#src/app/openapi.js';
import { createJudge } from './judge.js';
import { requestsOf } from './requests.js';
import { sendRaw } from './send.js';

export interface FuzzReport {
  requests: number;
  /** The number of answers by status; "none" where the connection ended without an answer. */
  statuses: Record<string, number>;
  /** One text at most for each operation: the smallest request found whose answer is wrong, and why. */
  faults: string[];
}

/**
 * Sends `requests` fuzzed requests, in equal parts to every operation, all operations at once, and judges the answers.
 */
export async function fuzz(service: Service, key: string, requests: number, seed: number): Promise<FuzzReport> {
  const port = Number(new URL(service.url).port);
  const judge = createJudge();
  const operations = ALL_OPERATIONS;
  const report: FuzzReport = { requests: 0, statuses: {}, faults: [] };
  await Promise.all(
    operations.map(async (operation) => {
      const property = fc.asyncProperty(requestsOf(operation, key), async (request) => {
        const answer = await sendRaw(port, request);
        report.requests++;
        const status = String(answer?.status ?? 'none');
        report.statuses[status] = (report.statuses[status] ?? 0) + 1;
        const fault = judge(operation, request, answer);
        if (fault !== undefined) throw new Error(fault);
      });
      const result = await fc.check(property, { numRuns: Math.ceil(requests / operations.length), seed });
      if (result.failed)
        report.faults.push(`${operation.method} ${operation.path}: ${fc.defaultReportMessage(result) ?? ''}`);
    }),
  );
  return report;
}
