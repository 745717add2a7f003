import { Readability } from '@mozilla/readability';
import { parseUrl } from '../../text/page-url.js';
import { isSamePage } from '../../text/same-url.js';
import { dropNavigation } from './drop-navigation.js';
import { renderText, type HtmlElement, type HtmlNode } from './render-text.js';
import { tidyHtml, type TidyHtml } from './tidy-html.js';

export { UnreadableHtml } from '../text/html-text.js';

const MAX_LINKS = 10_000;
/** Readability looks at each node's ancestors and siblings, several times over: a page of more is taken whole. */
const MAX_SCORED_NODES = 15_000;
const MAX_SCORED_DEPTH = 100;
/**
 * Below this part of the text outside navigation, the extractor has found one piece of several. Word F1 on half of
 * WCXB's development set (six kinds of pages counting the same): 0.755 at 0.3, 0.763 at 0.4, 0.764 at 0.5, and 0.763 at
 * 0.6.
 */
const MIN_SHARE = 0.5;
/** A page that only leads on says so for a moment: five seconds or ten. */
const MAX_NOTICE_SECONDS = 10;
/** Characters; a page that says less may have said it elsewhere. */
const MIN_TEXT = 200;

export interface ExtractedPage {
  title: string | null;
  /** Text, laid out as Markdown, without the title; '' where the page says nothing. */
  content: string;
  /** BCP 47, as the page says it. */
  language: string | undefined;
  /** Absolute http(s) url without fragment. */
  canonical: string | undefined;
  noindex: boolean;
  /** It is no page, but leads to this one: an absolute http(s) url. */
  leadsTo: string | undefined;
  /** Absolute http(s) urls without fragment, each once; none where the page says nofollow. */
  links: string[];
}

/**
 * Reads a page: what it says, in which language, and where it leads. Linear in the page's length, but for a part that
 * is bounded by the number of elements. Throws UnreadableHtml for what is nested too deeply.
 */
export function extractPage(html: string, url: string): ExtractedPage {
  const seen = readBody(html, false);
  // Discourse and others write a page's text for robots into noscript.
  const unscripted = seen.text.length < MIN_TEXT ? readBody(html, true) : seen;
  const { tidy, headings, text } = unscripted.text.length < MIN_TEXT ? seen : unscripted;
  const base = parseUrl(tidy.base ?? '', url)?.href ?? url;
  const siteName = tidy.meta.get('og:site_name') ?? tidy.meta.get('application-name');
  const title = titleOf(tidy, headings, siteName, url);
  const robots = `${tidy.meta.get('robots') ?? ''},${tidy.meta.get('pathmend') ?? ''}`.toLowerCase();
  return {
    title,
    content: dropTitle(text, title),
    language: languageOf(tidy.language ?? tidy.meta.get('content-language')),
    canonical: tidy.canonical === undefined ? undefined : webUrl(tidy.canonical, base),
    noindex: /\b(?:noindex|none)\b/.test(robots),
    leadsTo: tidy.refresh === undefined ? undefined : refreshTarget(tidy.refresh, base, url, text),
    links: /\b(?:nofollow|none)\b/.test(robots)
      ? []
      : [...new Set(tidy.links.flatMap((link) => webUrl(link, base) ?? []))],
  };
}

/**
 * Where a `Refresh` leads (HTML, "shared declarative refresh steps"): another page than the one it is on. What people
 * read for longer than a sentence takes is a page, even if another one follows.
 */
export function refreshTarget(refresh: string, base: string, url = base, text = ''): string | undefined {
  const [, seconds = '', rest = ''] = /^(\d*)(?:\.[\d.]*)?([\s;,].*)$/s.exec(refresh.trim()) ?? [];
  const named = rest
    .trim()
    .replace(/^[;,]\s*/, '')
    .replace(/^url\s*=\s*/i, '');
  const quote = /^["']/.exec(named)?.[0];
  const target = quote === undefined ? named : (named.slice(1).split(quote, 1)[0] ?? '');
  if (target.trim() === '' || (Number(seconds) > MAX_NOTICE_SECONDS && text.length >= MIN_TEXT)) return undefined;
  const to = webUrl(target, base);
  return to === undefined || isSamePage(to, url) ? undefined : to;
}

function readBody(html: string, keepNoscript: boolean): { tidy: TidyHtml; headings: string[]; text: string } {
  const tidy = tidyHtml(html, { maxLinks: MAX_LINKS, keepNoscript });
  // The extractor takes the document apart: headings come first.
  return { tidy, headings: headingsOf(tidy.body), text: mainText(tidy) };
}

/**
 * The page's main part, where it names one: nothing of it is lost but navigation. Else what the extractor finds, or all
 * where it finds too little of it.
 */
function mainText({ body, nodes, depth }: TidyHtml): string {
  const parts = mainParts(body).filter((part) => renderText(part) !== '');
  const isBounded = parts.length > 0;
  if (isBounded) body.replaceChildren(...parts);
  const isScored = nodes <= MAX_SCORED_NODES && depth <= MAX_SCORED_DEPTH;
  const all = isBounded && isScored ? body.cloneNode(true) : body;
  const whole = renderText(all);
  if (!isScored) return whole;
  // linkedom's document is what it asks for; the type of it is a browser's.
  const { ownerDocument } = body as unknown as { ownerDocument: never };
  const found = new Readability<HtmlNode>(ownerDocument, {
    charThreshold: 200,
    disableJSONLD: true,
    serializer: (node) => node as HtmlNode,
  }).parse();
  const text = found?.content ? renderText(found.content) : '';
  if (text.length < MIN_SHARE * whole.length) return whole;
  if (!isBounded) return text;
  dropNavigation(all, text);
  return renderText(all);
}

/** Every <main>, though there should be one; else the only <article>. */
function mainParts(root: HtmlElement): HtmlElement[] {
  const mains = [...root.querySelectorAll('main, [role=main]')];
  if (mains.length > 0) return mains.filter((main) => !main.parentNode?.closest('main, [role=main]'));
  const articles = [...root.querySelectorAll('article')].filter((one) => !one.parentNode?.closest('article'));
  return articles.length === 1 ? articles : [];
}

function headingsOf(root: HtmlElement): string[] {
  return [...root.querySelectorAll('h1')].slice(0, 20).flatMap((heading) => oneLine(renderText(heading)) ?? []);
}

/** The heading that the document's title repeats; else the first one; else the document's title. */
function titleOf(
  tidy: TidyHtml,
  headings: readonly string[],
  siteName: string | undefined,
  url: string,
): string | null {
  const said = [tidy.meta.get('og:title'), tidy.title].flatMap((text) => oneLine(text) ?? []);
  const own = headings.filter((heading) => heading !== siteName);
  // Where the title has the site's name, too, it stands behind.
  const places = own.flatMap((heading) =>
    said.map((text) => ({ heading, at: text.toLowerCase().indexOf(heading.toLowerCase()) })),
  );
  const [repeated] = places.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at);
  const title = said[0] ?? headings[0];
  return repeated?.heading ?? own[0] ?? (title === undefined ? null : dropSiteName(title, siteName, url));
}

function oneLine(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}

/** The title stands on top already where the page's first line repeats it. */
function dropTitle(content: string, title: string | null): string {
  if (title === null) return content;
  const [first = ''] = content.split('\n', 1);
  return first.replace(/^#+ /, '') === title ? content.slice(first.length).trimStart() : content;
}

function languageOf(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

function webUrl(link: string, base: string): string | undefined {
  const url = parseUrl(link.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url.href;
}

const SEPARATOR = / (?:[|·•»«–—-]|::) /;

/**
 * A document's title without the site's name behind or before it, where that is plain: it is `og:site_name`, or the
 * host's own name. Words of the title stand one space apart.
 */
function dropSiteName(title: string, siteName: string | undefined, url: string): string {
  const parts = title.split(SEPARATOR).map((part) => part.trim());
  const hostname = parseUrl(url)?.hostname.replace(/^www\./, '') ?? '';
  const host = plain(hostname);
  const label = plain(hostname.split('.', 1)[0] ?? '');
  const isSite = (part: string | undefined): boolean => {
    const text = plain(part ?? '');
    if (text === '' || text === plain(siteName ?? '')) return true;
    // "Shop" of shop.example.com, and "Example UK" of example.co.uk.
    return text.length > 2 && (host.startsWith(text) || (text.startsWith(label) && text.length < 2 * label.length));
  };
  while (parts.length > 1 && isSite(parts.at(-1))) parts.pop();
  while (parts.length > 1 && isSite(parts[0])) parts.shift();
  const first = parts[0];
  if (first === undefined) return title;
  const last = parts.at(-1) ?? first;
  const from = title.indexOf(first);
  return title.slice(from, title.lastIndexOf(last) + last.length);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
