import { LIMITS } from '../base/request-limits.js';
import type { Request } from 'express';
import type { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import type { Bulkheads } from '../platform/limits/bulkheads.js';
import { compileBody } from '../base/validate.js';
import { holdUntilSent } from '../http/answers.js';
import type { Operation } from '../http/operation.js';
import { readQueryString } from '../http/read-body.js';
import type { InputOf, Route } from '../http/route.js';
import { selectOutline, type OutlinedPage } from '../pages/store/page-listing.js';
import { countOf } from '../text/count-of.js';
import { readProjectName } from '../projects/store/projects.js';
import { escapeMarkdown } from '../text/markdown.js';
import { parseUrl } from '../text/page-url.js';
import { makeTitle } from '../text/paths/sanitize-path.js';

const DEFAULT_PAGES = 1_000;
const MAX_PAGES = 5_000;

export const llmsTxtOperation = {
  method: 'GET',
  path: '/v1/llms.txt',
  scope: 'read',
  id: 'llmsTxt',
  summary: "Lists the project's pages for assistants, as llms.txt.",
  description:
    'Markdown as https://llmstxt.org describes it: the project, then its indexed pages by section, which is the first segment of their path. ' +
    'A page whose metadata have a `description` is listed with it. Your server answers `/llms.txt` with this, and caches it.',
  query: {
    type: 'object',
    properties: {
      section: {
        type: 'string',
        minLength: 1,
        maxLength: LIMITS.urlCharacters,
        label: `a path of at most ${LIMITS.urlCharacters} characters`,
        description: 'Only pages whose path begins so.',
        examples: ['/help/'],
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_PAGES,
        default: DEFAULT_PAGES,
        label: `a whole number from 1 to ${MAX_PAGES}`,
        description:
          'Pages at most, the first in the order of their paths; fewer where their urls and titles are longer than a million characters.',
      },
    },
  },
  answers: { 200: { description: 'The pages.', texts: ['text/markdown'] } },
} as const satisfies Operation;

export function llmsTxtRoute(deps: {
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
}): Route<InputOf<typeof llmsTxtOperation>> {
  const check = compileBody(llmsTxtOperation.query);
  return {
    ...llmsTxtOperation,
    read: (request: Request) => check(readQueryString(request, llmsTxtOperation.query)),
    handle: async ({ caller, input: { section, limit = DEFAULT_PAGES }, response, gone }) => {
      const path = section === undefined ? '' : normalizeSection(section);
      const read = () => Promise.all([selectOutline(caller, path, limit), readProjectName(caller)]);
      const [{ pages, isCut }, name = ''] = await deps.bulkheads.searches.run(caller.projectId, read, gone());
      const text = render(name, pages, isCut);
      holdUntilSent(response, deps.bytes, Buffer.byteLength(text));
      response.type('text/markdown; charset=utf-8').send(text);
    },
  };
}

/** Writes a section as the paths of pages are written: with a slash before it, and percent-encoded. */
function normalizeSection(section: string): string {
  return parseUrl(section, 'http://path.invalid/')?.pathname ?? section;
}

function render(name: string, pages: readonly OutlinedPage[], isCut: boolean): string {
  const sections = new Map<string, string[]>();
  for (const { url, path, title, description } of pages) {
    const [, first = '', rest] = path.split('/');
    // A page that stands in no folder has no section.
    const section = rest === undefined ? 'Pages' : makeTitle(`/${first}`);
    const more = description === null ? '' : `: ${escapeMarkdown(description)}`;
    const lines = sections.get(section) ?? [];
    lines.push(`- [${escapeMarkdown(title ?? makeTitle(path))}](<${url}>)${more}\n`);
    sections.set(section, lines);
  }
  const cut = isCut
    ? `\n> The first ${countOf(pages.length, 'page')} in the order of their paths. There are more.\n`
    : '';
  const listed = [...sections].map(([section, lines]) => `\n## ${escapeMarkdown(section)}\n\n${lines.join('')}`);
  return `# ${escapeMarkdown(name)}\n${cut}${listed.join('')}`;
}
