import type { HtmlElement } from './render-text.js';

const PARTS = /^(?:ASIDE|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
/** Class names of link lists and share buttons. */
const NAMES =
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
      if (PARTS.test(element.nodeName) && lengthOf(element) <= whole / 2 && isNavigation(element, keptText))
        element.remove();
      else walk(element);
  };
  walk(main);
}

function isNavigation(element: HtmlElement, keptText: string): boolean {
  const links = [...element.querySelectorAll('a[href]')];
  if (links.length < 2 || element.querySelector('h1') !== null) return false;
  const linked = links.reduce((sum, link) => sum + lengthOf(link), 0);
  const isNamed = NAMES.test(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`);
  return (isNamed || linked >= MIN_LINKED * lengthOf(element)) && !keptText.includes(plain(element.textContent ?? ''));
}

function lengthOf(element: HtmlElement): number {
  return (element.textContent ?? '').length;
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}
