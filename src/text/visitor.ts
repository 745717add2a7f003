import { createRequire } from 'node:module';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { NotFoundOutcome, Visitor } from '../base/glossary.js';
import { looksLikeScan } from './paths/dead-path.js';

/**
 * Fetch for a person who asks, or make the index that answers are looked up in. Those that train models are robots;
 * the list below has one tag for both.
 */
const ASSISTANT =
  /chatgpt-user|oai-searchbot|claude-(?:user|searchbot|web)|perplexity|mistralai-user|gemini-|google-(?:notebooklm|agent)|duckassist|meta-externalfetcher|amzn-user|cohere-ai|youbot|phindbot|andibot|kagi-fetcher|copilot/i;

interface Crawler {
  pattern: string;
  tags?: string[];
}

/** Kept by many, released every month, with what each robot is for. Imported as JSON it would print a warning. */
const CRAWLERS = createRequire(import.meta.url)('crawler-user-agents') as Crawler[];

function anyOf(tag: string, more = ''): RegExp {
  const patterns = CRAWLERS.filter(({ tags }) => tags?.includes(tag) === true).map(({ pattern }) => `(?:${pattern})`);
  return new RegExp([...patterns, ...(more === '' ? [] : [more])].join('|'));
}

/** Those that fetch for its previews and ads are tagged otherwise. */
const SEARCH_ENGINE = anyOf(
  'search-engine',
  '[Bb]ing[Pp]review|adidxbot|[Aa]mazonbot|Google-InspectionTool|Storebot-Google',
);

/** Tools that look for a way in, of which the list has few: they call themselves as they like. */
const INTRUDERS =
  /sqlmap|nikto|nuclei|nmap|masscan|zgrab|wpscan|acunetix|nessus|openvas|qualys|netsparker|invicti|dirbuster|gobuster|feroxbuster|ffuf|wfuzz|dirsearch|w3af|burp|whatweb|zmeu|jorgee|detectify|l9(?:explore|tcpid|scan)|leakix|censysinspect|expanse|paloaltonetworks|shodan|internet-?measurement|internettl|odin\b|netcraft|project ?discovery|jndi:/i;

const SCANNER = anyOf('scanner');

/** Few user agents and paths make most of the traffic, and a look at the lists takes some ten microseconds. */
const MAX_REMEMBERED = 2_000;
const kinds = new LRUCache<string, Visitor>({ max: MAX_REMEMBERED, memoMethod: kindOf });
const scans = new LRUCache<string, boolean>({ max: MAX_REMEMBERED, memoMethod: (path) => looksLikeScan(path) });

/**
 * Who met a 404, by the path and what the user agent calls itself: a scanner wherever either says so; else what calls
 * itself a browser is a person.
 */
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

/** Those that count as people. */
export function isHuman(visitor: Visitor): boolean {
  return visitor === 'person' || visitor === 'unknown';
}

/** Libraries and tools that a site's server sends its own requests with. */
const CLIENT =
  /^(?:node|undici|axios|got|node-fetch|deno|bun|curl|wget|python|aiohttp|httpx|go-http-client|java|okhttp|apache-httpclient|guzzle(?:http)?|php|ruby|faraday|rust|reqwest|dart|libwww|pathmend)\b/i;

/** Whether a user agent may be a visitor's, and not an HTTP client's own. */
export function namesVisitor(userAgent: string): boolean {
  return !CLIENT.test(userAgent.trim());
}

/** The user agent of a call if a visitor's browser sent it, from a script of the site. */
export function browserAgent(userAgent: string | undefined): string | null {
  return userAgent?.startsWith('Mozilla/') === true ? userAgent : null;
}

/** The outcome to store with a 404. `answered`: the known answer to its search. */
export function outcomeOf(visitor: Visitor, answered: NotFoundOutcome | undefined): NotFoundOutcome {
  if (visitor === 'robot' || visitor === 'scanner') return 'robot';
  return answered ?? 'unlinked';
}
