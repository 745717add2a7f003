import { createRequire } from 'node:module';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { NotFoundOutcome, Visitor } from '../base/glossary.js';
import { looksLikeScan } from './paths/dead-path.js';

/**
 * The user agents that fetch pages for a person who asks an assistant, or for the index in which an assistant looks up
 * answers. Crawlers that train models are robots; the list below has one tag for both.
 */
const ASSISTANT =
  /chatgpt-user|oai-searchbot|claude-(?:user|searchbot|web)|perplexity|mistralai-user|gemini-|google-(?:notebooklm|agent)|duckassist|meta-externalfetcher|amzn-user|cohere-ai|youbot|phindbot|andibot|kagi-fetcher|copilot/i;

interface Crawler {
  pattern: string;
  tags?: string[];
}

/** A list that many people maintain, with the purpose of each robot. Node.js warns of JSON that is imported. */
const CRAWLERS = createRequire(import.meta.url)('crawler-user-agents') as Crawler[];

function anyOf(tag: string, more = ''): RegExp {
  const patterns = CRAWLERS.filter(({ tags }) => tags?.includes(tag) === true).map(({ pattern }) => `(?:${pattern})`);
  return new RegExp([...patterns, ...(more === '' ? [] : [more])].join('|'));
}

/** Search engines. In the list, their robots for previews and ads have other tags, so their patterns are added here. */
const SEARCH_ENGINE = anyOf(
  'search-engine',
  '[Bb]ing[Pp]review|adidxbot|[Aa]mazonbot|Google-InspectionTool|Storebot-Google',
);

/** Tools that look for a way in. The list has few of them, because they choose their names freely. */
const INTRUDERS =
  /sqlmap|nikto|nuclei|nmap|masscan|zgrab|wpscan|acunetix|nessus|openvas|qualys|netsparker|invicti|dirbuster|gobuster|feroxbuster|ffuf|wfuzz|dirsearch|w3af|burp|whatweb|zmeu|jorgee|detectify|l9(?:explore|tcpid|scan)|leakix|censysinspect|expanse|paloaltonetworks|shodan|internet-?measurement|internettl|odin\b|netcraft|project ?discovery|jndi:/i;

const SCANNER = anyOf('scanner');

/** The max user agents, and paths, that are remembered: few make most of the traffic, and a look takes some 10 µs. */
const MAX_REMEMBERED = 2_000;
const kinds = new LRUCache<string, Visitor>({ max: MAX_REMEMBERED, memoMethod: kindOf });
const scans = new LRUCache<string, boolean>({ max: MAX_REMEMBERED, memoMethod: (path) => looksLikeScan(path) });

/** Returns who met a 404: a scanner by path or user agent, `unknown` without the latter, a person if no known robot. */
export function visitorOf(userAgent: string | null, path: string): Visitor {
  if (scans.memo(path)) return 'scanner';
  if (userAgent === null || userAgent.trim() === '') return 'unknown';
  return kinds.memo(userAgent);
}

function kindOf(userAgent: string): Visitor {
  if (INTRUDERS.test(userAgent) || SCANNER.test(userAgent)) return 'scanner';
  if (!isbot(userAgent)) return 'person';
  if (ASSISTANT.test(userAgent)) return 'assistant';
  return SEARCH_ENGINE.test(userAgent) ? 'search_engine' : 'robot';
}

/** Whether a visitor counts as a person; those without a user agent do. */
export function isHuman(visitor: Visitor): boolean {
  return visitor === 'person' || visitor === 'unknown';
}

/** The libraries and tools by which the server of a site sends requests of its own. */
const CLIENT =
  /^(?:node|undici|axios|got|node-fetch|deno|bun|curl|wget|python|aiohttp|httpx|go-http-client|java|okhttp|apache-httpclient|guzzle(?:http)?|php|ruby|faraday|rust|reqwest|dart|libwww|pathmend)\b/i;

/** Whether a user agent may be a visitor's, and not an HTTP client's own. */
export function namesVisitor(userAgent: string): boolean {
  return !CLIENT.test(userAgent.trim());
}

/** The user agent of a call from a script of the site, if a visitor's browser sent it; else null. */
export function browserAgent(userAgent: string | undefined): string | null {
  return userAgent?.startsWith('Mozilla/') === true ? userAgent : null;
}

/** The outcome to store with a 404. `answered`: the known answer to its search. */
export function outcomeOf(visitor: Visitor, answered: NotFoundOutcome | undefined): NotFoundOutcome {
  if (visitor === 'robot' || visitor === 'scanner') return 'robot';
  return answered ?? 'unlinked';
}
