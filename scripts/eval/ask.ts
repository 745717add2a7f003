import type { Service } from '#src/app/service.js';
import { mapConcurrently, type IndexedSite } from './index-site.js';
import type { Suggested } from './measures.js';
import type { Case } from './site-data.js';

const ANSWERS = 20;
const AT_ONCE = 4;

/** The cases of one kind, and the answers to each of them, best first. */
export interface Asked {
  cases: readonly Case[];
  answers: readonly (readonly Suggested[])[];
}

type Endpoint = 'suggest' | 'semantic-search';

/** Asks every case over HTTP. */
export async function askAll(
  service: Service,
  indexed: IndexedSite,
  endpoint: Endpoint,
  cases: readonly Case[],
): Promise<Asked> {
  return {
    cases,
    answers: await mapConcurrently(cases, AT_ONCE, (testCase) => ask(service, indexed, endpoint, testCase.input)),
  };
}

async function ask(service: Service, { key }: IndexedSite, endpoint: Endpoint, input: string): Promise<Suggested[]> {
  const body = { [endpoint === 'suggest' ? 'path' : 'query']: input, limit: ANSWERS, options: { searchThreshold: 0 } };
  const response = await fetch(`${service.url}/v1/${endpoint}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  if (response.status !== 200)
    throw new Error(`${endpoint} answered ${response.status} to ${input}: ${await response.text()}`);
  return ((await response.json()) as { suggestions: Suggested[] }).suggestions;
}
