import { isbot } from 'isbot';
import type { NotFoundOutcome, Visitor } from '../glossary.js';
import { looksLikeScan } from '../text/paths/probe-path.js';

/** Fetch for a person who asks, or make the index that answers are looked up in. Those that train models are robots. */
const ASSISTANT =
  /chatgpt-user|oai-searchbot|claude-(?:user|searchbot|web)|perplexity|mistralai-user|gemini-|google-(?:notebooklm|agent)|duckassist|meta-externalfetcher|amzn-user|cohere-ai|youbot|phindbot|andibot|kagi-fetcher|copilot/i;

const SEARCH_ENGINE =
  /googlebot|google-inspectiontool|storebot-google|bingbot|bingpreview|adidxbot|duckduckbot|yandex(?!\.browser)\w*bot|yandeximages|baiduspider|applebot|slurp|petalbot|sogou|seznambot|yeti\/|naverbot|qwant|mojeekbot|kagibot|bravebot|coccocbot|exabot|360spider|amazonbot/i;

/** Tools that look for a way in, and those that list the whole internet. */
const SCANNER =
  /sqlmap|nikto|nuclei|nmap|masscan|zgrab|wpscan|acunetix|nessus|openvas|qualys|netsparker|invicti|dirbuster|gobuster|feroxbuster|ffuf|wfuzz|dirsearch|w3af|burp|whatweb|zmeu|jorgee|detectify|l9(?:explore|tcpid|scan)|leakix|censysinspect|expanse|paloaltonetworks|shodan|internet-?measurement|internettl|odin\b|netcraft|project ?discovery|jndi:/i;

/**
 * Who met a 404, by the path and what the user agent calls itself: a scanner wherever either says so; else what calls
 * itself a browser is a person.
 */
export function visitorOf(userAgent: string | null, path: string): Visitor {
  if (looksLikeScan(path) || (userAgent !== null && SCANNER.test(userAgent))) return 'scanner';
  if (userAgent === null || userAgent.trim() === '') return 'unknown';
  if (!isbot(userAgent)) return 'person';
  if (ASSISTANT.test(userAgent)) return 'assistant';
  return SEARCH_ENGINE.test(userAgent) ? 'search_engine' : 'robot';
}

/** Those that count as people. */
export function isHuman(visitor: Visitor): boolean {
  return visitor === 'person' || visitor === 'unknown';
}

/** Libraries and tools by which a site's server asks for its visitors. */
const CLIENT =
  /^(?:node|undici|axios|got|node-fetch|deno|bun|curl|wget|python|aiohttp|httpx|go-http-client|java|okhttp|apache-httpclient|guzzle|php|ruby|faraday|rust|reqwest|dart|libwww|pathmend)\b/i;

/** Whether a user agent may be a visitor's: not that of an HTTP client in its own name. */
export function namesVisitor(userAgent: string): boolean {
  return !CLIENT.test(userAgent.trim());
}

/** The user agent of a call if it is a visitor's own, who searches by a script of the site: those begin so. */
export function browserAgent(userAgent: string | undefined): string | null {
  return userAgent?.startsWith('Mozilla/') === true ? userAgent : null;
}

/** The outcome of a 404 that is stored. `told`: what it is known to have been answered with. */
export function outcomeOf(visitor: Visitor, told: NotFoundOutcome | undefined): NotFoundOutcome {
  if (visitor === 'robot' || visitor === 'scanner') return 'robot';
  return told ?? 'unlinked';
}
