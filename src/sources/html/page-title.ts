import { parseUrl } from '../../text/parse-url.js';

const SEPARATOR = / (?:[|·•»«–—-]|::) /;

/**
 * A document's title without the site's name behind or before it, where that is plain: it is `og:site_name`, or the
 * host's own name. Words of the title stand one space apart.
 */
export function dropSiteName(title: string, siteName: string | undefined, url: string): string {
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
