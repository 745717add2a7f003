import type { HtmlElement } from './render-text.js';

const NAVIGATION_PARTS = /^(?:ASIDE|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
/** Class names of link lists and share buttons. */
const NAVIGATION_NAMES =
  /(?:^|[-_ ])(?:breadcrumbs?|cross-?sells?|pager|pagination|post-?nav(?:igation)?|prev-?next|read-?(?:more|next)|recommend(?:ed|ations?)|related|share|sharing|similar|social|tag-?(?:cloud|list)|tags|up-?next|up-?sells?|you-?may-?also(?:-like)?)(?:$|[-_ ])/i;
const MIN_LINKED = 0.5;
/** Bound on quadratic work: longer text is left as it is. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Removes navigation from a page's main part: link lists, and elements named like one, that the extractor dropped, too.
 * Keeps what is more than half of the text.
 * @param extracted the text that the extractor found
 */
export function dropNavigation(main: HtmlElement, extracted: string): void {
  const whole = lengthOf(main);
  if (whole > MAX_CHARACTERS) return;
  const keptText = plain(extracted);
  const walk = (parent: HtmlElement): void => {
    for (const element of [...parent.children])
      if (NAVIGATION_PARTS.test(element.nodeName) && lengthOf(element) <= whole / 2 && isNavigation(element, keptText))
        element.remove();
      else walk(element);
  };
  walk(main);
}

function isNavigation(element: HtmlElement, keptText: string): boolean {
  const links = [...element.querySelectorAll('a[href]')];
  if (links.length < 2 || element.querySelector('h1') !== null) return false;
  const linked = links.reduce((sum, link) => sum + lengthOf(link), 0);
  const isNamed = NAVIGATION_NAMES.test(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`);
  return (isNamed || linked >= MIN_LINKED * lengthOf(element)) && !keptText.includes(plain(element.textContent ?? ''));
}

function lengthOf(element: HtmlElement): number {
  return (element.textContent ?? '').length;
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Subjects of cookie notices in the languages of most sites: for each, the beginnings of its words. */
const SUBJECTS = [
  'cookie informasjonskaps',
  'consent consenso einwillig zustimm toestemming samtyck samtykke zgod',
  'privacy privat privé privad datenschutz personal personenb persönlich personnel persoons confidential gdpr dsgvo rgpd',
  'partner partenaire socio parceiro vendor drittanbieter tiers third',
  'accept agree akzept erlaub autoris acept accett aceit godta',
  'reject refus declin withdraw ablehn widerruf rechaz rifiut weiger recus avvis',
  'setting preference purpose einstellung zweck paramètre préférence finalité configur preferen impostazion instelling',
  'advert ads anzeige werbung publicit pubblicit reclame annons',
  'device browser gerät appareil dispositiv apparaat terminal navegador',
  'measur analy mess statisti mesur medir misur meten',
].map((words) => new RegExp(`(?<!\\p{L})(?:${words.replaceAll(' ', '|')})\\p{L}*`, 'giu'));
/** Titles of pages that are about cookies themselves. */
const OWN_SUBJECT =
  /cookie|consent|privacy|privat|priv[ée]|datenschutz|gdpr|dsgvo|rgpd|track|personal data|einwillig|analytic|advert|\bads?\b|tag manager/i;
const NOTICE_BLOCKS = /^(?:DIV|FORM|SECTION)$/;
const [MIN_SUBJECTS, MIN_SHARE, MAX_LEVELS] = [5, 0.18, 6];
const [MIN_NOTICE, MAX_NOTICE, MIN_REST] = [100, 10_000, 40];

/** Removes cookie notices by their words: they may be longer than the page's text. Leaves pages about cookies alone. */
export function dropWordyNotices(body: HtmlElement, title: string): void {
  const whole = body.textContent ?? '';
  const headings = [...body.querySelectorAll('h1')].map((heading) => heading.textContent ?? '');
  if (whole.length > MAX_CHARACTERS || [title, ...headings].some((text) => OWN_SUBJECT.test(text))) return;
  let rest = whole.trim().length;
  const walk = (parent: HtmlElement, level: number): void => {
    for (const element of [...parent.children]) {
      const text = (element.textContent ?? '').trim();
      if (text.length < MIN_NOTICE) continue;
      const isPart = text.length <= MAX_NOTICE && rest - text.length >= MIN_REST;
      if (isPart && NOTICE_BLOCKS.test(element.nodeName) && isNotice(element, text)) {
        rest -= text.length;
        element.remove();
      } else if (level < MAX_LEVELS) walk(element, level + 1);
    }
  };
  walk(body, 1);
}

function isNotice(element: HtmlElement, text: string): boolean {
  // A quarter of the words of a notice match; an article on the subject has fewer.
  const counts = SUBJECTS.map((subject) => text.match(subject)?.length ?? 0);
  if (counts.filter((count) => count > 0).length < MIN_SUBJECTS || element.querySelector('h1') !== null) return false;
  const words = text.match(/\p{L}+/gu)?.length ?? 0;
  return counts.reduce((sum, count) => sum + count, 0) >= MIN_SHARE * words;
}
