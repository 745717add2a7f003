import type { PathWords } from '../../base/glossary.js';
import { readIdentities, type Identities } from './identities.js';
import { pathSegments, decodePercent } from './path-segments.js';
import { plainPath, type PlainPath, comparedSegments, plainSegments } from './plain-path.js';
import { sanitizePath } from './sanitize-path.js';

/** The path of a 404, parsed once for lookup and comparison. */
export interface DeadPath extends Readonly<PathWords> {
  /** The path as the visitor's browser sent it. */
  raw: string;
  /** The requested host, if the path does not contain it; null if unknown. */
  host: string | null;
  /** The segments in the form in which they are compared with live paths, see {@link comparedSegments}. */
  segments: readonly string[];
  /** The path in the form in which it is compared with redirects. */
  plain: PlainPath;
  /** The parts that distinguish the page from others with the same words. */
  identities: Identities;
  /** Whether only scanners and robots request the path. */
  isProbe: boolean;
}

export function readDeadPath(raw: string, host: string | null = null): DeadPath {
  const decoded = pathSegments(raw);
  const plain = plainSegments(raw, decoded);
  const segments = comparedSegments(plain);
  return {
    raw,
    host,
    ...sanitizePath(raw, decoded),
    segments,
    plain: plainPath(raw, plain),
    identities: readIdentities(raw, segments),
    isProbe: looksLikeProbe(raw, decoded),
  };
}

/**
 * Segments, without extension, that scanners request from every public site. Names that could be a real page
 * (`telescope`, `shell`) are in {@link SCANNED_PATHS} with more of their path.
 */
const ENTRY_POINTS = new Set(
  (
    'wp-login wp-admin wp-includes wp-cron wlwmanifest xmlrpc phpmyadmin pma adminer phpinfo cgi-bin boaform hnap1 server-status ' +
    'server-info jmx-console jmxinvokerservlet axis2-admin autodiscover _profiler _ignition phpunit eval-stdin setup-config ' +
    'fgt_lang dana-na +cscoe+ webshell c99 r57'
  ).split(' '),
);

const SCANNED_PATHS =
  /^\/(?:actuator\/(?:health|env|info|beans|gateway)|telescope\/requests|solr\/admin|manager\/html|owa\/auth|ecp\/|api\/v1\/pods|v2\/_catalog|_cat\/|druid\/index|geoserver\/web|hudson\/?$|(?:shell|alfa|info|test)\.php)/i;

/** Files that are never published on purpose. */
const SECRET = /\.(?:env|sql|bak|swp|ini|conf|config|log|key|pem|sqlite3?)(?:\.[a-z0-9]{1,4})?$/i;

/** Files that browsers and robots load without a visitor's request. */
const ASSET = /\.(?:css|m?js|map|ico|png|jpe?g|gif|webp|svg|woff2?|ttf|xml|json|ya?ml)(?:\.[a-z0-9]{1,4})?$/i;

/** Well-known files that software requests from every site. */
const WELL_KNOWN =
  /^(?:(?:robots|humans|security|(?:app-)?ads|llms(?:-full)?|carbon)\.txt|sellers\.json|favicon(?:-[\w-]+)?\.\w+|(?:apple-touch-icon|mstile|android-chrome)[-\w]*\.png|browserconfig\.xml|(?:site|manifest)\.webmanifest|manifest\.json|crossdomain\.xml|sitemap[-_\w]*\.(?:xml|txt)(?:\.gz)?|(?:service-?worker|sw)\.js|apple-app-site-association|assetlinks\.json)$/i;

/** Fonts, sounds and films, in addition to the files of {@link ASSET}. */
const MEDIA = /\.(?:eot|otf|avif|bmp|tiff?|mp[34]|m4[av]|webm|ogg|wav|mov|avi|swf|wasm)$/i;

/** Archives of a whole site, published by accident. Other archives may be a product's downloads. */
const SITE_ARCHIVE =
  /^(?:backup|dump|db|database|site|www|wwwroot|public_html|htdocs|web|old)[-_.\w]*\.(?:zip|tar|t?gz|bz2|rar|7z)(?:\.gz)?$/i;

/** A segment that begins with a dot, before any query. */
const HIDDEN_FILE = /^[^?#]*\/\.[\p{L}\p{N}_]/u;

const MAX_PATH_LENGTH = 4096;

/** Attacks anywhere in the text: path traversal; script, SQL and JNDI injection; null bytes. */
const ATTACK = /\.\.[/\\]|etc\/passwd|<script|\$\{jndi|union[+\s]+select|['"]\s*or\s+\d+\s*=\s*\d+|\0/i;

/**
 * Whether a request is from a scanner or robot, not from a visitor: a scan by {@link looksLikeScan}, a path below
 * `/.well-known/`, which RFC 8615 reserves for software, or a file that is not a page. The path is percent-decoded
 * first.
 */
export function looksLikeProbe(path: string, segments: readonly string[] = pathSegments(path)): boolean {
  if (ASSET.test(segments.at(-1) ?? '') || looksLikeScan(path, segments)) return true;
  return HIDDEN_FILE.test(decodePercent(path.slice(0, MAX_PATH_LENGTH)));
}

/** Whether a path was never the path of a page: it is a well-known file, a part of a page, or a probe. */
export function isNoPage(path: string): boolean {
  const segments = pathSegments(path);
  const last = segments.at(-1) ?? '';
  return WELL_KNOWN.test(last) || MEDIA.test(last) || looksLikeProbe(path, segments);
}

/** Whether a request looks for a way in: hidden files, entry points of other software, secret files, attacks. */
export function looksLikeScan(path: string, segments: readonly string[] = pathSegments(path)): boolean {
  const decoded = decodePercent(path.slice(0, MAX_PATH_LENGTH));
  if (ATTACK.test(decoded)) return true;
  if (HIDDEN_FILE.test(decoded) && segments[0]?.toLowerCase() !== '.well-known') return true;
  if (SCANNED_PATHS.test(`/${segments.join('/')}`)) return true;
  if (segments.some((segment) => ENTRY_POINTS.has(segment.toLowerCase().replace(/\.[a-z0-9]{1,5}$/, '')))) return true;
  const last = segments.at(-1) ?? '';
  return SECRET.test(last) || SITE_ARCHIVE.test(last);
}
