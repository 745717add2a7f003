/** @typedef {import('../index.js').Format} Format */

/** @type {Record<string, Format>} */
const FORMATS = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'application/json': 'json',
  'text/*': 'html',
  'application/*': 'json',
  '*/*': 'html',
};

/**
 * Chooses by Accept: the highest quality; of equals what is named rather than meant by `*`, then what stands first.
 * @param {string | undefined} accept
 * @returns {Format | undefined} undefined where nothing that we write is wanted: an image, say
 */
export function chooseFormat(accept) {
  if (accept === undefined || accept.trim() === '') return 'html';
  const wanted = accept.split(',').map(readRange);
  const refused = new Set(wanted.filter(({ quality }) => quality === 0).map(({ type }) => FORMATS[type]));
  const [best] = wanted
    .filter(({ type, quality }) => quality > 0 && FORMATS[type] !== undefined && !refused.has(FORMATS[type]))
    .sort((a, b) => b.quality - a.quality || Number(a.type.endsWith('*')) - Number(b.type.endsWith('*')));
  return best && FORMATS[best.type];
}

/** @param {string} range such as `text/html;q=0.8` */
function readRange(range) {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const value = quality === undefined ? 1 : Number(quality);
  return { type, quality: value >= 0 && value <= 1 ? value : 0 };
}

/**
 * Whether somebody may read what is answered: browsers say it when they load an image, a script or data.
 * @param {string | undefined} destination Sec-Fetch-Dest
 */
export function isNavigation(destination) {
  return destination === undefined || ['document', 'frame', 'iframe'].includes(destination);
}
