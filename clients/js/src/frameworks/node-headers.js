/**
 * @param {Record<string, string | string[] | undefined>} headers of a request, their names in lower case
 * @param {string} name
 */
export function nodeHeader(headers, name) {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Adds to the Vary that other middleware has set.
 * @param {Record<string, string>} headers of an answer
 * @param {number | string | string[] | undefined} present
 */
export function withVary(headers, present) {
  const { Vary: added, ...otherHeaders } = headers;
  const all = [present ?? [], added ?? []].flat().join(', ');
  return all === '' ? otherHeaders : { ...otherHeaders, Vary: all };
}
