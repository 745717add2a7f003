import { Parser } from 'htmlparser2';
import { parseHTML } from 'linkedom';
import type { HtmlElement, HtmlNode } from './render-text.js';
import { dropWordyNotices } from './drop-clutter.js';
import { dropNotices, settleHidden } from './settle-hidden.js';
import { checkLevels } from './html-text.js';

/** The max elements. Beyond them, tags are dropped and text is kept. */
const MAX_ELEMENTS = 100_000;
const MAX_ATTRIBUTE_CHARACTERS = 300;
const MAX_HEAD_CHARACTERS = 1_000;

/** Elements that are never content. */
const DROPPED = new Set(
  (
    'script style template svg math canvas iframe object embed audio video nav select textarea input dialog ' +
    'link meta base title datalist map frameset noframes'
  ).split(' '),
);
const DROPPED_ROLES = new Set('navigation banner contentinfo search menu menubar dialog alertdialog'.split(' '));
/** Elements that are part of the site's frame outside the main part; inside, they are an introduction or notes. */
const FRAME = new Set(['header', 'footer', 'aside']);
const MEDIA = /^(?:img|video|audio|iframe|object|embed)$/;
/** Attributes that later steps read. */
const ATTRIBUTES = [
  ...['class', 'id', 'role', 'itemprop', 'style', 'href', 'alt', 'start', 'colspan', 'hidden'],
  ...['aria-hidden', 'aria-controls', 'aria-expanded', 'data-target', 'data-bs-target'],
];

interface HtmlDocument {
  body: HtmlElement;
  createElement(name: string): HtmlElement;
  createTextNode(text: string): HtmlNode;
}

export interface TidyHtml {
  /** The body without scripts, styles and navigation, at most 512 levels deep. */
  body: HtmlElement;
  /** The number of nodes that a parser makes of the body: one per element and per entity in text. */
  nodes: number;
  depth: number;
  title: string;
  /** Content of meta elements by name or property, in lower case. */
  meta: Map<string, string>;
  language: string | undefined;
  canonical: string | undefined;
  /** Content of `<meta http-equiv=refresh>`. */
  refresh: string | undefined;
  base: string | undefined;
  /** href of each link without nofollow, in order, including navigation. */
  links: string[];
  /** Whether the page has scripts, and no media that can be seen before they run. */
  isScripted: boolean;
}

/** Reads the head and cleans the body in linear time. Drops `<noscript>`, mostly a call for scripts, unless asked. */
export function tidyHtml(html: string, options: { maxLinks: number; keepNoscript: boolean }): TidyHtml {
  const head: Omit<TidyHtml, 'body' | 'nodes' | 'depth'> = {
    title: '',
    meta: new Map(),
    language: undefined,
    canonical: undefined,
    refresh: undefined,
    base: undefined,
    links: [],
    isScripted: false,
  };
  const { document } = parseHTML('<!doctype html><html><head></head><body></body></html>') as unknown as {
    document: HtmlDocument;
  };
  /** Open tags; `element` is null if the tag is dropped and its text belongs to its parent. */
  const open: { name: string; element: HtmlElement | null }[] = [];
  const path = [document.body];
  // All text up to the next element becomes one node: a node for each of ten million entities took minutes.
  let text = '';
  const endText = (): void => {
    if (text !== '') path.at(-1)?.appendChild(document.createTextNode(text));
    text = '';
  };
  let elements = 0;
  let entities = 0;
  let depth = 0;
  let droppedFrom = Infinity;
  let inTitle = false;
  let hasMedia = false;
  const isInside = (pattern: RegExp): boolean => open.some(({ name }) => pattern.test(name));

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        checkLevels(open.length);
        // Meta elements in <noscript> are only for browsers without scripts.
        if (name !== 'meta' || !isInside(/^noscript$/)) readHead(head, name, attributes, options.maxLinks);
        if (!hasMedia && MEDIA.test(name) && !isInside(/^noscript$/)) hasMedia = true;
        if (name === 'script' && !/json/i.test(attributes['type'] ?? '')) head.isScripted = true;
        inTitle = name === 'title' && head.title === '' && !isInside(/^svg$/);
        const dropped = name === 'noscript' ? !options.keepNoscript : isDropped(name, attributes, isInside);
        if (droppedFrom > open.length && dropped) droppedFrom = open.length;
        const kept = droppedFrom > open.length && elements < MAX_ELEMENTS && !/^(?:html|head|body)$/.test(name);
        let element: HtmlElement | null = null;
        if (kept) {
          elements++;
          endText();
          element = create(document, name, attributes, isInside(/^(?:h[1-6]|summary)$/));
          path.at(-1)?.appendChild(element);
          path.push(element);
          depth = Math.max(depth, path.length);
          if (name === 'input') text = ' ';
        } else text += ' ';
        open.push({ name, element });
      },
      ontext(piece) {
        if (inTitle) head.title = (head.title + piece).slice(0, MAX_HEAD_CHARACTERS);
        if (droppedFrom > open.length) {
          text += piece;
          entities += piece.match(/[&<>\u00a0]/g)?.length ?? 0;
        }
      },
      onclosetag() {
        const closed = open.pop();
        inTitle = false;
        if (droppedFrom >= open.length) droppedFrom = Infinity;
        if (!closed?.element) return;
        endText();
        path.pop();
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  endText();
  dropNotices(document.body);
  settleHidden(document.body, head.links);
  dropWordyNotices(document.body, head.title);
  const kept = [...document.body.querySelectorAll('*')].length;
  return { ...head, isScripted: head.isScripted && !hasMedia, body: document.body, nodes: kept + entities, depth };
}

function isDropped(name: string, attributes: Record<string, string>, isInside: (pattern: RegExp) => boolean): boolean {
  // Outside forms, radio buttons and checkboxes open parts of the page.
  if (isSwitch(name, attributes) && !isInside(/^form$/)) return false;
  if (DROPPED.has(name) || DROPPED_ROLES.has(attributes['role']?.toLowerCase() ?? '')) return true;
  if (attributes['aria-modal'] === 'true') return true;
  return FRAME.has(name) && !isInside(/^(?:main|article)$/);
}

function isSwitch(name: string, attributes: Record<string, string>): boolean {
  return name === 'input' && /^(?:radio|checkbox)$/i.test(attributes['type'] ?? '');
}

function readHead(
  head: Omit<TidyHtml, 'body' | 'nodes' | 'depth'>,
  name: string,
  attributes: Record<string, string>,
  maxLinks: number,
): void {
  const { href, rel = '', content } = attributes;
  if (name === 'html') head.language ??= attributes['lang'] ?? attributes['xml:lang'];
  else if (name === 'base') head.base ??= href;
  else if (name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(rel)) head.canonical ??= href;
  else if (name === 'meta' && content !== undefined) {
    if (/^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '')) head.refresh ??= content.slice(0, MAX_HEAD_CHARACTERS);
    const key = (attributes['property'] ?? attributes['name'] ?? attributes['http-equiv'] ?? '').toLowerCase();
    if (key !== '' && !head.meta.has(key) && head.meta.size < 200)
      head.meta.set(key, content.slice(0, MAX_HEAD_CHARACTERS));
  } else if ((name === 'a' || name === 'area') && href !== undefined && head.links.length < maxLinks) {
    if (!/(?:^|\s)nofollow(?:\s|$)/i.test(rel)) head.links.push(href);
  }
}

function create(document: HtmlDocument, name: string, attributes: Record<string, string>, isInHeading: boolean) {
  // Notes within a page's main part are often <aside>, which the extractor drops.
  const known = name === 'aside' || (name === 'button' && !isInHeading) ? 'div' : name === 'button' ? 'span' : name;
  const element = document.createElement(name !== 'input' && /^[a-z][a-z0-9]*$/.test(known) ? known : 'span');
  for (const attribute of ATTRIBUTES) {
    const value = attributes[attribute];
    if (value !== undefined) element.setAttribute(attribute, value.slice(0, MAX_ATTRIBUTE_CHARACTERS));
  }
  if (isSwitch(name, attributes)) element.setAttribute('data-switch', attributes['type']?.toLowerCase() ?? '');
  // Buttons in headings are questions of an FAQ; settleHidden decides whether others open anything.
  if (name === 'button' && !isInHeading) element.setAttribute('data-button', '');
  return element;
}
