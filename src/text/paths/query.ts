/** Parameters that mailings, advertisements and analytics add to a url, and that no page reads. */
const TRACKING = new RegExp(
  '^(?:utm_\\w+|mtm_\\w+|pk_(?:campaign|kwd|keyword|medium|source|content|cid)|hsa_\\w+|_hsenc|_hsmi|mc_[ce]id|_gl|_ga' +
    '|gclid|gclsrc|dclid|gbraid|wbraid|srsltid|fbclid|msclkid|ttclid|twclid|li_fat_id|igshid|igsh|epik|yclid|ysclid' +
    '|_openstat|mkt_tok|vero_id|oly_(?:anon|enc)_id|s_kwcid|ef_id|wickedid)$',
  'i',
);

/** Whether a parameter of a query string, `name` or `name=value`, says nothing about the page. */
export function isTracking(parameter: string): boolean {
  return TRACKING.test(parameter.split('=', 1)[0] ?? '');
}

/**
 * A query string, without its question mark, as it is compared: its parameters in one order, decoded and encoded again
 * in one way, without those for tracking and empty ones. Upper and lower case stay: ids differ by it.
 */
export function comparedQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .filter((one) => one !== '' && !isTracking(one))
    .map((one) => {
      const at = one.indexOf('=');
      const [name, value] = at < 0 ? [one, ''] : [one.slice(0, at), one.slice(at + 1)];
      return value === '' ? encoded(name) : `${encoded(name)}=${encoded(value)}`;
    })
    .sort()
    .join('&');
}

function encoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return encodeURIComponent(decodeURIComponent(spaced).normalize('NFC'));
  } catch {
    // Bytes that are no UTF-8, or half a character: compared as they are.
    return spaced;
  }
}
