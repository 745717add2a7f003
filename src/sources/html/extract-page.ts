import { Readability } from '@mozilla/readability';
import { parseUrl } from '../../text/page-url.js';
import { isSamePage, withoutWww } from '../../text/same-url.js';
import { dropNavigation } from './drop-clutter.js';
import { renderText, type HtmlElement, type HtmlNode } from './render-text.js';
import { tidyHtml, type TidyHtml } from './tidy-html.js';

export { UnreadableHtml } from './html-text.js';

const MAX_LINKS = 10_000;
/** Readability visits ancestors and siblings of each node several times: larger pages skip it. */
const MAX_SCORED_NODES = 15_000;
const MAX_SCORED_DEPTH = 100;
/**
 * If the extractor finds a smaller share of the text outside navigation, it has found one piece of several. Word F1 on
 * half of WCXB's development set (six kinds of pages counting the same): 0.755 at 0.3, 0.763 at 0.4, 0.764 at 0.5, and
 * 0.763 at 0.6.
 */
const MIN_SHARE = 0.5;
/** A page with a longer delay before its refresh is a page of its own. */
const MAX_NOTICE_SECONDS = 10;
/** The min characters of a page's text; with less text, <noscript> is read, too. */
const MIN_TEXT = 200;

/** Texts that a page shows while its scripts are loaded, or where they do not run. */
const LOADING =
  /^(?:[\p{L}\p{N}]+ ){0,3}(?:loading|wait|geladen|lädt|laden|warten|chargement|cargando|caricamento|carregando|загрузка|読み込み中|加载中|載入中|로딩 ?중?)[\s.…!]*$/iu;
const ENABLE = 'enabl|requir|need|turn|without|activ|aktiv|habilit|benötig|braucht|abilit|включ|有効|启用|啟用';
const NEEDS_SCRIPTS = new RegExp(`(?:${ENABLE}).*JavaScript|JavaScript.*(?:${ENABLE})`, 'is');

export interface ExtractedPage {
  title: string | null;
  /** Text as Markdown, without the title; '' if the page has none. */
  content: string;
  /** The language as declared, in BCP 47. */
  language: string | undefined;
  /** The canonical url: absolute, of http(s), without fragment. */
  canonical: string | undefined;
  noindex: boolean;
  /** Whether the page has no text until a browser runs its scripts. */
  isShell: boolean;
  /** The target of a refresh: an absolute http(s) url. */
  leadsTo: string | undefined;
  /** Distinct absolute http(s) urls without fragment; empty with nofollow. */
  links: string[];
}

/** Extracts text, language and links of a page in linear time, but for a bounded part. @throws UnreadableHtml */
export function extractPage(html: string, url: string): ExtractedPage {
  const seen = readBody(html, false);
  // Discourse and others put a page's text for robots into <noscript>.
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
    isShell: seen.tidy.isScripted && unscripted.text.length < MIN_TEXT && isWaiting(seen.text),
    leadsTo: tidy.refresh === undefined ? undefined : refreshTarget(tidy.refresh, base, url, text),
    links: /\b(?:nofollow|none)\b/.test(robots)
      ? []
      : [...new Set(tidy.links.flatMap((link) => webUrl(link, base) ?? []))],
  };
}

/** Finds the target of a `Refresh` (HTML, "shared declarative refresh steps"): another page, soon, or from a notice. */
export function refreshTarget(refresh: string, base: string, url = base, text = ''): string | undefined {
  const [, seconds = '', rest = ''] = /^(\d*)(?:\.[\d.]*)?([\s;,].*)$/s.exec(refresh.trim()) ?? [];
  const named = rest.trim().replace(/^(?:[;,]\s*)?(?:url\s*=\s*)?/i, '');
  const quote = /^["']/.exec(named)?.[0];
  const target = quote === undefined ? named : (named.slice(1).split(quote, 1)[0] ?? '');
  if (target.trim() === '' || (Number(seconds) > MAX_NOTICE_SECONDS && text.length >= MIN_TEXT)) return undefined;
  const to = webUrl(target, base);
  return to === undefined || isSamePage(to, url) ? undefined : to;
}

function isWaiting(text: string): boolean {
  const first = text.replace(/^#+ /, '');
  return text === '' || LOADING.test(first) || (text.length < MIN_TEXT && NEEDS_SCRIPTS.test(text));
}

function readBody(html: string, keepNoscript: boolean): { tidy: TidyHtml; headings: string[]; text: string } {
  const tidy = tidyHtml(html, { maxLinks: MAX_LINKS, keepNoscript });
  // Headings come first, because the extractor modifies the document.
  return { tidy, headings: headingsOf(tidy.body), text: mainText(tidy) };
}

/** Returns the text of the marked main part without navigation; else what the extractor finds, or all if too little. */
function mainText({ body, nodes, depth }: TidyHtml): string {
  const parts = mainParts(body).filter((part) => renderText(part) !== '');
  const isBounded = parts.length > 0;
  if (isBounded) body.replaceChildren(...parts);
  const isScored = nodes <= MAX_SCORED_NODES && depth <= MAX_SCORED_DEPTH;
  const all = isBounded && isScored ? body.cloneNode(true) : body;
  const whole = renderText(all);
  if (!isScored) return whole;
  // Readability's types want a browser's document; linkedom's does.
  const { ownerDocument } = body as unknown as { ownerDocument: never };
  const article = new Readability<HtmlNode>(ownerDocument, {
    charThreshold: 200,
    disableJSONLD: true,
    serializer: (node) => node as HtmlNode,
  }).parse();
  const text = article?.content ? renderText(article.content) : '';
  if (text.length < MIN_SHARE * whole.length) return whole;
  if (!isBounded) return text;
  dropNavigation(all, text);
  return renderText(all);
}

/** Returns each outermost <main>; without any, the only <article>. */
function mainParts(root: HtmlElement): HtmlElement[] {
  const mains = [...root.querySelectorAll('main, [role=main]')];
  if (mains.length > 0) return mains.filter((main) => !main.parentNode?.closest('main, [role=main]'));
  const articles = [...root.querySelectorAll('article')].filter((article) => !article.parentNode?.closest('article'));
  return articles.length === 1 ? articles : [];
}

function headingsOf(root: HtmlElement): string[] {
  return [...root.querySelectorAll('h1')].slice(0, 20).flatMap((heading) => oneLine(renderText(heading)) ?? []);
}

/** Finds the heading that the document's title repeats; otherwise the first heading; otherwise the document's title. */
function titleOf(tidy: TidyHtml, headings: readonly string[], siteName: string | undefined, url: string) {
  const titles = [tidy.meta.get('og:title'), tidy.title].flatMap((text) => oneLine(text) ?? []);
  const pageHeadings = headings.filter((heading) => heading !== siteName);
  // The earliest comes first: the site's name usually comes last in a title.
  const places = pageHeadings.flatMap((heading) =>
    titles.map((text) => ({ heading, at: text.toLowerCase().indexOf(heading.toLowerCase()) })),
  );
  const [repeated] = places.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  const title = titles[0] ?? headings[0];
  return repeated?.heading ?? pageHeadings[0] ?? (title === undefined ? null : dropSiteName(title, siteName, url));
}

function oneLine(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}

/** Drops the first line if it repeats the title. */
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

/** Drops the site's name (`og:site_name`, or the host's) from the ends of a title, which has single spaces. */
function dropSiteName(title: string, siteName: string | undefined, url: string): string {
  const parts = title.split(SEPARATOR).map((part) => part.trim());
  const hostname = withoutWww(parseUrl(url)?.hostname ?? '');
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
