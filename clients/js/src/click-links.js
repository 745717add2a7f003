const VERSION = 'pathmend click link 1';

/**
 * @typedef {object} Click
 * @property {string} to the suggested page, as the suggestion had it
 * @property {string} rank
 * @property {string} search
 * @property {string} from the path that was not found
 * @property {string} expires milliseconds since 1970; later the link still leads to its page and is not counted
 * @typedef {object} ClickLinks
 * @property {(clickPath: string, click: Click) => Promise<string>} sign
 * @property {(query: URLSearchParams) => Promise<Click | undefined>} verify undefined where we did not sign it
 */

/**
 * Links that lead over the site to a suggested page, so that the click can be counted and the key stays on the server.
 * They are signed with a key that is derived from the API key: nobody else can make the site redirect anywhere, or
 * forge a click. All processes of a site that share an API key know each other's links.
 * @param {string} apiKey
 * @returns {ClickLinks}
 */
export function createClickLinks(apiKey) {
  /** @type {Promise<CryptoKey> | undefined} */
  let derived;
  // Not before the first visitor: some runtimes allow no cryptography while a program is loaded.
  const signingKey = () => (derived ??= deriveKey(apiKey));
  return {
    sign: async (clickPath, click) => {
      const signature = await crypto.subtle.sign('HMAC', await signingKey(), signedBytes(click));
      return `${clickPath}?${new URLSearchParams({ ...click, sig: toBase64Url(new Uint8Array(signature)) })}`;
    },
    verify: async (query) => {
      const field = (/** @type {string} */ name) => query.get(name) ?? '';
      const click = {
        to: field('to'),
        rank: field('rank'),
        search: field('search'),
        from: field('from'),
        expires: field('expires'),
      };
      const signature = fromBase64Url(field('sig'));
      if (!signature) return undefined;
      return (await crypto.subtle.verify('HMAC', await signingKey(), signature, signedBytes(click)))
        ? click
        : undefined;
    },
  };
}

/** @param {string} apiKey */
async function deriveKey(apiKey) {
  const bytes = new TextEncoder();
  const secret = await crypto.subtle.importKey('raw', bytes.encode(apiKey), 'HKDF', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: bytes.encode(VERSION) },
    secret,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  );
}

/** @param {Click} click as a JSON list, in which no field can run into the next */
function signedBytes({ to, rank, search, from, expires }) {
  return new TextEncoder().encode(JSON.stringify([VERSION, to, rank, search, from, expires]));
}

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '');
}

/** @param {string} text */
function fromBase64Url(text) {
  // An HMAC with SHA-256.
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
}
