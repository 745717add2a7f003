import { LIMITS } from '../base/request-limits.js';
import type { SchemaObject } from 'ajv';
import type { Caller } from '../projects/caller.js';
import { invalid } from '../base/errors.js';
import type { Filters, SearchKind } from '../base/glossary.js';
import { compileBody } from '../base/validate.js';
import { LIMIT_SCHEMA } from '../http/operation.js';
import { findIndexedPagesByKey } from '../pages/store/missing-pages.js';
import { selectPage, selectPageSummaries } from '../pages/store/page-listing.js';
import type { FoundSuggestion, SearchAnswer } from '../search/answer.js';
import { DEFAULT_THRESHOLDS, isSure, shownScore } from '../search/ranking/scores/score.js';
import { FILTERS_SCHEMA, inputSchema, searchRequest } from '../search/routes/search-route.js';
import { search, type SearchDeps } from '../search/search.js';
import { findDeadUrlSettings } from '../projects/store/projects.js';
import { escapeMarkdown } from '../text/markdown.js';
import { parsePageUrl } from '../text/page-url.js';
import { dropTracking, pathKey } from '../text/paths/plain-path.js';

/** A tool answers with text for the assistant to read, and with the same as data. */
export interface ToolAnswer {
  text: string;
  data: Record<string, unknown>;
}

export interface ToolCall {
  caller: Caller;
  gone: () => AbortSignal;
  /** Counts the bytes of a page among those in flight. @throws ApiError overloaded */
  hold: (bytes: number) => void;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  schema: SchemaObject;
  /** @throws ApiError; one of status 400 names the argument */
  run: (call: ToolCall, input: Record<string, unknown>) => Promise<ToolAnswer>;
}

/** An assistant reads scores itself, so it is shown what a visitor would be shown as "did you mean". */
const SHOWN_FROM = 0.1;
/** Every caller is an assistant, whatever its HTTP client calls itself: its searches are not counted as people's. */
const USER_AGENT = 'mcp-bot';

/** Makes the tools of the MCP endpoint. */
export function createTools(deps: SearchDeps): Tool[] {
  const find = async (
    { caller, gone }: ToolCall,
    kind: SearchKind,
    input: string,
    { limit, filters = {} }: { limit?: number | undefined; filters?: Filters | undefined },
  ): Promise<SearchAnswer> => {
    const request = searchRequest(kind, input, { limit, options: { searchThreshold: SHOWN_FROM, filters } });
    const { answer, log } = await search(deps, caller, request, USER_AGENT, gone);
    log();
    return answer;
  };
  return [
    tool(
      'search_pages',
      'Search the site',
      'Finds the pages of the site that answer a question. Best first; a score is the probability that the page is the one that was meant.',
      {
        type: 'object',
        required: ['query'],
        properties: {
          query: inputSchema(LIMITS.queryCharacters, 'A question or some words, in any language of the site.'),
          limit: LIMIT_SCHEMA,
          filters: FILTERS_SCHEMA,
        },
      },
      async (call, { query, ...more }) => {
        const { suggestions } = await find(call, 'semantic-search', query, more);
        const text = suggestions.length === 0 ? 'No page of the site is near to this question.' : list(suggestions);
        return { text, data: { pages: suggestions.map(renderPage) } };
      },
    ),
    tool(
      'read_page',
      'Read a page',
      'Reads the whole text of one page of the site, by the url that search_pages gave.',
      {
        type: 'object',
        required: ['url'],
        properties: { url: inputSchema(LIMITS.urlCharacters, "The page's url, or its path.") },
      },
      async (call, { url }) => {
        const read = () => readPage(call.caller, url.trim());
        const page = await deps.bulkheads.searches.run(call.caller.projectId, read, call.gone());
        if (!page) throw invalid('url', `The site has no page at ${url.trim()}. find_moved_page says where it went.`);
        const { content = '', title } = page;
        call.hold(Buffer.byteLength(content));
        const text = `# ${title === null ? page.url : escapeMarkdown(title)}\n\n${page.url}\n\n${content}`;
        return { text, data: { url: page.url, ...(title === null ? {} : { title }) } };
      },
    ),
    tool(
      'find_moved_page',
      'Find a page that moved',
      'Says where a page of the site went whose address answers 404.',
      {
        type: 'object',
        required: ['path'],
        properties: { path: inputSchema(LIMITS.pathCharacters, 'The url or path that is dead.') },
      },
      async (call, { path }) => {
        const { isGone = false, leadsTo, suggestions } = await find(call, 'suggest', path.trim(), {});
        const { caller, gone } = call;
        const settings = await deps.bulkheads.searches.run(caller.projectId, () => findDeadUrlSettings(caller), gone());
        const [best] = suggestions;
        const movedTo = leadsTo ?? (best && isSure(best, settings ?? DEFAULT_THRESHOLDS) ? best.href : null);
        const pages = suggestions.filter(({ href }) => href !== movedTo);
        const outcome = isGone
          ? 'This page was removed for good.'
          : movedTo !== null
            ? `This page moved to ${movedTo}`
            : 'It is not certain where this page went.';
        const alternatives = pages.length === 0 ? '' : `\n\nIt may also be one of these:\n\n${list(pages)}`;
        return {
          text: outcome + alternatives,
          data: { gone: isGone, moved_to: movedTo, pages: pages.map(renderPage) },
        };
      },
    ),
  ];
}

/** Makes a tool whose arguments are checked by its schema. */
function tool<const Schema extends SchemaObject>(
  name: string,
  title: string,
  description: string,
  schema: Schema,
  run: (call: ToolCall, input: ReturnType<ReturnType<typeof compileBody<Schema>>>) => Promise<ToolAnswer>,
): Tool {
  const check = compileBody(schema);
  return { name, title, description, schema, run: (call, input) => run(call, check(input)) };
}

/** Finds the page of a full url, else a page that has the path on any host. */
async function readPage(caller: Caller, url: string): ReturnType<typeof selectPage> {
  const whole = parsePageUrl(url);
  const [page] = whole
    ? await selectPageSummaries(caller, { urlHash: whole.hash }, 1)
    : await findIndexedPagesByKey(caller, pathKey(dropTracking(url)));
  return page && selectPage(caller, page.page_id, true);
}

function renderPage({ href, title, score, metadata }: FoundSuggestion): Record<string, unknown> {
  return { url: href, title, score: shownScore(score), ...(metadata === undefined ? {} : { metadata }) };
}

function list(suggestions: readonly FoundSuggestion[]): string {
  return suggestions
    .map(({ href, title, score }) => `- ${escapeMarkdown(title)}: ${href} (score ${shownScore(score)})`)
    .join('\n');
}
