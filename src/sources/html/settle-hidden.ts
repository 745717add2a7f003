import type { HtmlElement, HtmlNode } from './render-text.js';

const ELEMENT = 1;
const MAIN = 'main, [role=main]';
const PARTS = `${MAIN}, article`;
const CONTROL = '[data-button], [aria-expanded], [role=button]';
/** A radio button or checkbox. */
const SWITCH = '[data-switch]';
const HEADING = /^(?:H[1-6]|SUMMARY|DT)$/;
const BLOCK = /^(?:ARTICLE|DD|DIV|DL|FIGURE|LI|MAIN|OL|P|PRE|SECTION|TABLE|UL)$/;
/** Class names of elements that open on demand. */
const OPENS =
  /(?:^|[-_ ])(?:accordion|answer|collaps\w*|expand\w*|faq\w*|read-?more|spoiler|tab-?(?:content|pane|panel)|toggle\w*)/i;
/** Class names of overlays, menus and cloned slides, which are no content. */
const OVERLAY =
  /(?:^|[-_ ])(?:clone[ds]?|drawer|dropdown|lightbox|menu|modal|off-?canvas|overlay|popover|popup|sub-?menu|tooltip)(?:$|[-_ ])/i;

/** Class names and ids of cookie notices: generic ones, and those of consent products. */
const CONSENT =
  /(?:^|[-_ ])(?:(?:eu-?)?cookies?[-_]?(?:alert|banner|bar|box|consent|dialog|disclaimer|info|law|message|modal|notice|overlay|popup|wall|warning)|(?:ccpa|gdpr|privacy)[-_]?(?:alert|banner|bar|consent|dialog|modal|notice|overlay|popup)|consent[-_]?(?:banner|bar|box|dialog|manager|modal|notice|overlay|popup)|eu-cookie-compliance[-\w]*|borlabs-?cookie\w*|onetrust|cookiebot|cybotcookiebotdialog|usercentrics|didomi|qc-cmp2?|sp_message|fc-consent|cmplz|cky|truste|osano-cm|cc-window|cc-banner|iubenda-cs|klaro)(?:$|[-_ ])/i;

/** Removes cookie notices. On ancestors of the main part, such a class only means that a notice is open. */
export function dropNotices(body: HtmlElement): void {
  const kept = new Set<HtmlElement>();
  for (const part of body.querySelectorAll(PARTS))
    for (let at: HtmlElement | null = part; at && !kept.has(at); at = at.parentNode) kept.add(at);
  for (const element of body.querySelectorAll('[class], [id]'))
    if (!kept.has(element) && CONSENT.test(classAndId(element))) element.remove();
}

/**
 * Removes hidden elements, except those that a reader can open (by a tab, accordion, question or link) or sees (hidden
 * from screen readers alone), and a main part that an overlay hides: what hides these is removed. Then removes all tab
 * lists and buttons, except questions that open an answer.
 * @param links href of every link of the page, including its navigation
 */
export function settleHidden(body: HtmlElement, links: readonly string[]): void {
  const opened = openedIds(body);
  const ofRadios = radioPanels(body);
  const linked = new Set(links.flatMap((href) => (/^#./.test(href) ? href.slice(1) : [])));
  const selector = body.querySelector(MAIN) ? MAIN : 'article';
  const hasParts = body.querySelector(PARTS) !== null;
  const isPartHidden = hasParts && [...body.querySelectorAll(selector)].every(isWithinHidden);
  const lengths = lengthsOf(body);
  const half = lengths(body).all / 2;
  const keeps = (element: HtmlElement): boolean => {
    if (isPartHidden && (element.matches(selector) || element.querySelector(selector) !== null)) return true;
    const names = `${classAndId(element)} ${classAndId(element.parentNode)}`;
    if (OVERLAY.test(classAndId(element))) return false;
    if (element.getAttribute('role') === 'tabpanel' || opened.has(element.getAttribute('id') ?? '')) return true;
    if (OPENS.test(names)) return true;
    if (!BLOCK.test(element.nodeName)) return false;
    if (followsControl(element)) return true;
    if ((ofRadios.has(element) || followsSwitch(element) || isTarget(element)) && !isMenu(element)) return true;
    // Hidden from screen readers alone, an element may be visible. Where no main part is marked, what holds half of the
    // text stays: an overlay then hides the page itself.
    return !isInvisible(element) && (hasParts ? element.closest(PARTS) !== null : lengths(element).all >= half);
  };
  /** Whether a link leads to an element: a tab may be a plain link. Outside the main part it may open an overlay. */
  const isTarget = (element: HtmlElement): boolean =>
    linked.has(element.getAttribute('id') ?? '') && (!hasParts || element.closest(PARTS) !== null);
  const isMenu = (element: HtmlElement): boolean => lengths(element).linked > lengths(element).all / 2;
  for (const element of body.querySelectorAll('[hidden], [aria-hidden], [style]'))
    if (!isHidden(element) || keeps(element))
      for (const name of ['hidden', 'aria-hidden', 'style']) element.removeAttribute(name);
    else element.remove();
  const ids = new Set([...body.querySelectorAll('[id]')].map((element) => element.getAttribute('id')));
  for (const element of body.querySelectorAll('[data-button], [role=tablist]')) {
    const isQuestion = element.hasAttribute('aria-expanded') || element.hasAttribute('aria-controls');
    if (!isQuestion || element.getAttribute('role') !== null || !opensElement(element, ids)) element.remove();
  }
}

/** Ids that controls reference, by ARIA or Bootstrap attributes. */
function openedIds(body: HtmlElement): Set<string> {
  const ids = new Set<string>();
  for (const control of body.querySelectorAll('[aria-controls], [data-target], [data-bs-target], [role=tab][href]'))
    for (const name of ['aria-controls', 'data-target', 'data-bs-target', 'href'])
      for (const id of (control.getAttribute(name) ?? '').split(/\s+/)) ids.add(id.replace(/^#/, ''));
  ids.delete('');
  return ids;
}

function isHidden(element: HtmlElement): boolean {
  return isInvisible(element) || element.getAttribute('aria-hidden') === 'true';
}

function isInvisible(element: HtmlElement): boolean {
  const hidden = element.getAttribute('hidden');
  // `until-found` is content: the browser's search reveals it.
  if (hidden !== null && hidden !== 'until-found') return true;
  return /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(element.getAttribute('style') ?? '');
}

function isWithinHidden(element: HtmlElement): boolean {
  for (let at: HtmlElement | null = element; at?.getAttribute; at = at.parentNode) if (isHidden(at)) return true;
  return false;
}

/** Whether a heading or control precedes an element, as a question does its answer. */
function followsControl(element: HtmlElement): boolean {
  const before = element.previousElementSibling;
  if (!before) return false;
  return HEADING.test(before.nodeName) || before.matches(CONTROL) || before.querySelector(CONTROL) !== null;
}

/** Whether a checkbox or radio button and a label precede an element. */
function followsSwitch(element: HtmlElement): boolean {
  const before = element.previousElementSibling;
  return before?.nodeName === 'LABEL' && before.previousElementSibling?.matches(SWITCH) === true;
}

/** Finds hidden panels next to or after radio buttons, one panel per button: choosing a button shows its panel. */
function radioPanels(body: HtmlElement): ReadonlySet<HtmlElement> {
  const counts = new Map<HtmlElement, number>();
  for (const radio of body.querySelectorAll('[data-switch=radio]')) {
    const holder = (radio.closest('label') ?? radio).parentNode;
    if (holder) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  const panels = new Set<HtmlElement>();
  for (const [holder, count] of counts) {
    const following: HtmlElement[] = [];
    for (let next = holder.nextElementSibling; next && following.length <= count; next = next.nextElementSibling)
      following.push(next);
    const siblings = [...holder.children];
    const within = [...siblings, ...following.slice(0, 1)].map(({ children }) => [...children]);
    for (const group of [siblings, following, ...within]) {
      const hidden = group.filter((element) => BLOCK.test(element.nodeName) && isHidden(element));
      // The chosen panel is visible, unless a script shows it.
      if (hidden.length === count || hidden.length === count - 1) for (const panel of hidden) panels.add(panel);
    }
  }
  return panels;
}

function opensElement(control: HtmlElement, ids: ReadonlySet<string | null>): boolean {
  const [id = ''] = (control.getAttribute('aria-controls') ?? '').split(/\s+/);
  return id === '' ? control.nextElementSibling !== null : ids.has(id);
}

interface Lengths {
  all: number;
  linked: number;
}

/** Characters of each element and of its links, measured in one pass, because hidden parts may be nested. */
function lengthsOf(body: HtmlElement): (element: HtmlElement) => Lengths {
  const known = new Map<HtmlNode, Lengths>();
  const measure = (node: HtmlNode): Lengths => {
    const lengths = { all: 0, linked: 0 };
    for (const child of node.childNodes) {
      const text = { all: child.textContent?.length ?? 0, linked: 0 };
      const { all, linked } = child.nodeType === ELEMENT ? measure(child) : text;
      lengths.all += all;
      lengths.linked += child.nodeName === 'A' ? all : linked;
    }
    known.set(node, lengths);
    return lengths;
  };
  measure(body);
  return (element) => known.get(element) ?? { all: 0, linked: 0 };
}

function classAndId(element: HtmlElement | null): string {
  return element?.getAttribute ? `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}` : '';
}
