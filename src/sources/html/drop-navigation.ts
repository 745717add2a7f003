import type { HtmlElement } from './render-text.js';

const PARTS = /^(?:ASIDE|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
/** Names of lists of other pages, and of ways to pass a page on. */
const NAMES =
  /(?:^|[-_ ])(?:breadcrumbs?|cross-?sells?|pager|pagination|post-?nav(?:igation)?|prev-?next|read-?(?:more|next)|recommend(?:ed|ations?)|related|share|sharing|similar|social|tag-?(?:cloud|list)|tags|up-?next|up-?sells?|you-?may-?also(?:-like)?)(?:$|[-_ ])/i;
const MIN_LINKED = 0.5;
/** Each list is looked for in the whole: of more text, nothing is taken out. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Takes navigation out of a page's main part: lists of links that the extractor takes for it, too, and what is named
 * so. What is most of the page stays, whatever it looks like.
 *
 * @param found the text that the extractor takes for the page's own
 */
export function dropNavigation(main: HtmlElement, found: string): void {
  const whole = lengthOf(main);
  if (whole > MAX_CHARACTERS) return;
  const own = plain(found);
  const walk = (parent: HtmlElement): void => {
    for (const element of [...parent.children]) {
      if (PARTS.test(element.nodeName) && lengthOf(element) <= whole / 2 && isNavigation(element, own))
        element.remove();
      else walk(element);
    }
  };
  walk(main);
}

function isNavigation(element: HtmlElement, own: string): boolean {
  const links = [...element.querySelectorAll('a[href]')];
  if (links.length < 2 || element.querySelector('h1') !== null) return false;
  const linked = links.reduce((sum, link) => sum + lengthOf(link), 0);
  const isNamed = NAMES.test(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`);
  return (isNamed || linked >= MIN_LINKED * lengthOf(element)) && !own.includes(plain(element.textContent ?? ''));
}

function lengthOf(element: HtmlElement): number {
  return (element.textContent ?? '').length;
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}
