import type { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import type { Bulkheads } from '../platform/limits/bulkheads.js';
import { compileBody } from '../base/validate.js';
import { exactObject, LIMIT_SCHEMA, named, TIME, type Operation } from '../http/operation.js';
import { holdUntilSent, sendJson } from '../http/answers.js';
import { readQueryString } from '../http/read-body.js';
import type { Route } from '../http/route.js';
import { isId, readCursor, writeCursor } from '../base/cursor.js';
import { listLinks } from './broken-links.js';

const DEFAULT_LINKS = 20;

const LINK_FIELDS = {
  url: { type: 'string' },
  status: { type: ['integer', 'null'], description: 'Null: there was no answer, or none that ends.' },
  answer: { type: 'string', description: 'What was answered, in words.' },
  pages: { type: 'array', items: { type: 'string' }, description: 'The first 20 pages that have it.' },
  page_count: { type: 'integer', description: 'How many pages have it.' },
  checked_at: { ...TIME, description: 'When the crawl ended.' },
  broken: { type: 'boolean', description: 'It has no rule and no page since.' },
  leads_to: { type: ['string', 'null'], description: 'Where a rule leads; null: nowhere.' },
};

const LINK_EXAMPLE = {
  ...{ url: 'https://www.example.com/help/retruns', status: 404, answer: 'the server answers 404' },
  ...{ pages: ['https://www.example.com/help/'], page_count: 1, checked_at: '2026-03-14T09:26:53.589Z' },
  ...{ broken: true, leads_to: null },
};

export const listLinksOperation = {
  method: 'GET',
  path: '/v1/links',
  scope: 'read',
  id: 'listLinks',
  summary: 'Lists the links of the site that led to no page when it was last crawled.',
  description:
    'A crawl is `pages sync URL --crawl`. Those that most pages have come first. Each crawl replaces what the one before met. `next_cursor` leads on; null: that was all. ' +
    'With `broken=true` an answer may hold fewer than `limit` and lead on all the same.',
  query: {
    type: 'object',
    properties: {
      broken: {
        type: 'boolean',
        default: false,
        label: 'true or false',
        description: 'Only those that have no rule and no page since.',
      },
      limit: { ...LIMIT_SCHEMA, default: DEFAULT_LINKS, description: 'Links at most.' },
      cursor: { type: 'string', label: 'one text', description: 'The `next_cursor` of the answer before.' },
    },
  },
  answers: {
    200: {
      description: 'Some links, and where the next ones begin.',
      schema: named(
        'LinkList',
        exactObject({
          links: { type: 'array', items: named('BrokenLink', exactObject(LINK_FIELDS)) },
          next_cursor: { type: ['string', 'null'] },
        }),
      ),
      example: { links: [LINK_EXAMPLE], next_cursor: null },
    },
  },
} as const satisfies Operation;

interface LinksQuery {
  broken: boolean;
  after: number;
  limit: number;
}

export function listLinksRoute(deps: { bulkheads: Bulkheads; bytes: InFlightBytes }): Route<LinksQuery> {
  const check = compileBody(listLinksOperation.query);
  return {
    ...listLinksOperation,
    read: (request) => {
      const query = check(readQueryString(request, listLinksOperation.query));
      const { broken = false, cursor, limit = DEFAULT_LINKS } = query;
      return { broken, limit, after: cursor === undefined ? 0 : Math.max(0, readCursor(cursor, isId)) };
    },
    handle: async ({ caller, input: { broken, after, limit }, response, gone }) => {
      const signal = gone();
      const { links, next } = await deps.bulkheads.searches.run(
        caller.projectId,
        () => listLinks(caller, { brokenOnly: broken, after, limit }, signal),
        signal,
      );
      const text = JSON.stringify({
        // eslint-disable-next-line @typescript-eslint/no-unused-vars
        links: links.map(({ place, path, ...link }) => link),
        next_cursor: next === null ? null : writeCursor(next),
      });
      holdUntilSent(response, deps.bytes, Buffer.byteLength(text));
      sendJson(response, text);
    },
  };
}
