import { pathSegments } from './path-segments.js';
import { decodePercent } from './percent.js';

/**
 * Entry points of software that scanners ask every public site for, without their endings; names that could be a
 * page of somebody's (`telescope`, `shell`) stand in {@link ADDRESSES} instead.
 */
const ENTRY_POINTS = new Set(
  (
    'wp-login wp-admin wp-includes wp-cron wlwmanifest xmlrpc phpmyadmin pma adminer phpinfo cgi-bin boaform hnap1 server-status ' +
    'server-info jmx-console jmxinvokerservlet axis2-admin autodiscover _profiler _ignition phpunit eval-stdin setup-config ' +
    'fgt_lang dana-na +cscoe+ webshell c99 r57'
  ).split(' '),
);

/** Whole addresses of other software. */
const ADDRESSES =
  /^\/(?:actuator\/(?:health|env|info|beans|gateway)|telescope\/requests|solr\/admin|manager\/html|owa\/auth|ecp\/|api\/v1\/pods|v2\/_catalog|_cat\/|druid\/index|geoserver\/web|hudson\/?$|(?:shell|alfa|info|test)\.php)/i;

/** Endings of files that browsers and robots load by themselves, or that nobody publishes on purpose. */
const NOT_A_PAGE =
  /\.(?:env|sql|bak|swp|ini|conf|config|log|key|pem|sqlite3?|css|m?js|map|ico|png|jpe?g|gif|webp|svg|woff2?|ttf|xml|json|ya?ml)(?:\.[a-z0-9]{1,4})?$/i;

/** Archives of a whole site, as they are left behind by accident; those of a product's downloads are wanted. */
const LEFT_BEHIND =
  /^(?:backup|dump|db|database|site|www|wwwroot|public_html|htdocs|web|old)[-_.\w]*\.(?:zip|tar|t?gz|bz2|rar|7z)(?:\.gz)?$/i;

/** A segment that begins with a dot, before any query. */
const HIDDEN = /^[^?#]*\/\.[\p{L}\p{N}_]/u;

const MAX_PATH_LENGTH = 4096;

/** Text that is an attack, whatever it stands in: traversal, script, SQL and lookup injection, null bytes. */
const ATTACK = /\.\.[/\\]|etc\/passwd|<script|\$\{jndi|union[+\s]+select|['"]\s*or\s+\d+\s*=\s*\d+|\0/i;

/**
 * Is this the request of a scanner or robot, not of a visitor? Hidden files (`/.git/config`, and `/.well-known/`, which
 * RFC 8615 keeps for software), entry points of other software, files that are no pages, and attacks; percent-encoding
 * seen through.
 */
export function looksLikeProbe(path: string, segments: readonly string[] = pathSegments(path)): boolean {
  const decoded = decodePercent(path.slice(0, MAX_PATH_LENGTH));
  if (ATTACK.test(decoded) || HIDDEN.test(decoded)) return true;
  if (ADDRESSES.test(`/${segments.join('/')}`)) return true;
  if (segments.some((segment) => ENTRY_POINTS.has(segment.toLowerCase().replace(/\.[a-z0-9]{1,5}$/, '')))) return true;
  const last = segments.at(-1) ?? '';
  return NOT_A_PAGE.test(last) || LEFT_BEHIND.test(last);
}
