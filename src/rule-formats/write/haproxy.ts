import { decodeBytes, printablePath } from '../read/source-address.js';
import type { PathPattern } from '../path-pattern.js';
import {
  beginningOf,
  encodeSegment,
  expressionOf,
  firstPart,
  hasPort,
  hexOf,
  holdsNul,
  isClosed,
  queryExpressions,
  secondsOf,
  targetOf,
  withQuery,
} from './regular-expressions.js';
import {
  hasNumbers,
  isRedirect,
  type AnyRule,
  type ExportRule,
  type Matching,
  type RuleFormat,
} from './written-rule.js';

/** The path is compared decoded; every byte that has a meaning is written as `\x20`. */
export function createHaproxy({ anyCase = false }: Matching = {}): RuleFormat {
  return {
    head: ['# Redirects for a frontend of HAProxy.'],
    hasDates: true,
    write: (rule) => {
      if (holdsNul(rule.path)) return { reason: 'HAProxy cannot compare %00' };
      const pathTest = pathCondition(rule);
      const conditions = [anyCase ? pathTest.replace(' -m ', ' -i -m ') : pathTest, ...otherConditions(rule)];
      const answer = isRedirect(rule)
        ? `redirect code ${rule.code ?? 301} location ${locationOf(rule)}`
        : `return status ${rule.code ?? 410}`;
      return [`http-request ${answer} if ${conditions.map((condition) => `{ ${condition} }`).join(' ')}`];
    },
  };
}

function locationOf(rule: ExportRule): string {
  const target = targetOf(
    rule,
    (part, name = 'splat') => `%[${haproxyPart(rule, part)}${name === firstPart(rule) ? WITHOUT_SLASHES : ''}]`,
    (text) => text.replaceAll('%', '%%'),
  );
  return haproxyTarget(rule.passQuery ? withQuery(target, passedQuery('?'), passedQuery('&')) : target);
}

/**
 * This removes slashes at the beginning, which would make a host of what follows them. A backslash there stays, as a
 * character.
 */
const WITHOUT_SLASHES = ',regsub(^/+,),regsub(^\\\\x5C,%5C)';

/** Writes the query string of the request behind this sign; nothing if the request has none. */
function passedQuery(sign: string): string {
  return `%[query,regsub(^.,${sign}\\\\0)]`;
}

function otherConditions({ host, query, validFrom, validUntil }: AnyRule): string[] {
  return [
    ...(host === undefined ? [] : [`req.hdr(host)${hasPort(host) ? '' : ',host_only'} -i ${haproxyWord(host)}`]),
    ...queryExpressions(query, haproxyLiteral).map((text) => `query -m reg ${haproxyWord(text)}`),
    ...(validFrom === undefined ? [] : [`date ge ${secondsOf(validFrom)}`]),
    ...(validUntil === undefined ? [] : [`date lt ${secondsOf(validUntil)}`]),
  ];
}

function pathCondition(rule: AnyRule): string {
  const { path, pattern, rest } = rule;
  if (pattern || (hasNumbers(path) && isRedirect(rule))) {
    const end = isClosed(rule) ? '$' : rest === 'kept' ? '' : '.*';
    return `path -m reg ${haproxyWord(`^${expressionOf(rule, { literal: haproxyLiteral })}${end}`)}`;
  }
  const isPrintable = printablePath(path) !== undefined;
  if (hasNumbers(path)) {
    if (!isPrintable) return `path -m reg ${haproxyWord(`^${beginningOf(path, haproxyLiteral)}.*`)}`;
    const expression = beginningOf(path, (text) => haproxyLiteral(decodeBytes(text).toString('latin1')));
    return `path,url_dec -m reg ${haproxyWord(Buffer.from(`^${expression}.*`, 'latin1'))}`;
  }
  const how = isClosed(rule) ? 'str' : 'beg';
  if ((rest && isRedirect(rule)) || !isPrintable) return `path -m ${how} ${haproxyWord(path)}`;
  return `path,url_dec -m ${how} ${haproxyWord(decodeBytes(path))}`;
}

/**
 * Writes where a part of the path stands. HAProxy has no groups: a part begins at a fixed byte, or behind so many
 * slashes.
 */
function haproxyPart({ path, pattern }: ExportRule, part: number): string {
  if (pattern) return patternPart(pattern, part);
  if (hasNumbers(path)) return `path,field(${path.split('/').length},/,0)`;
  return `path,bytes(${Buffer.byteLength(path)})`;
}

/**
 * Writes where a placeholder's segment stands, or the segments from there on. The literal text around the placeholder,
 * which has matched, is cut off.
 */
function patternPart({ segments }: PathPattern, part: number): string {
  const at = segments.findIndex(({ placeholder }, index) => {
    const seen = segments.slice(0, index + 1).filter((segment) => segment.placeholder).length;
    return placeholder !== undefined && seen === part;
  });
  const { before = '', placeholder, after = '' } = segments[at] ?? {};
  return [
    `path,field(${at + 2},/${placeholder?.takes === 'rest' ? ',0' : ''})`,
    ...(before === '' ? [] : [`bytes(${encodeSegment(before).length})`]),
    ...(after === '' ? [] : [`regsub(${encodeSegment(after).replace(/[^\w-]/g, '.')}$,,i)`]),
  ].join(',');
}

/** Escapes a text for an expression. Bytes of one character stay side by side, with nothing between them. */
function haproxyLiteral(text: string): string {
  return text.replace(/[^\w\s/~\x80-\xff-]/g, '\\$&');
}

/** Writes a word in which what `%[…]` takes from the request stays legible. */
function haproxyTarget(text: string): string {
  return text
    .split(/(%\[(?:path|query),.*?\)\])/)
    .map((part, at) => (at % 2 === 1 ? part : haproxyWord(part)))
    .join('');
}

/** Writes a word of HAProxy: every byte but the plainest as `\x20`. */
function haproxyWord(text: string | Buffer): string {
  const bytes = Buffer.from(text).toString('latin1');
  return bytes.replace(/[^\w./~:=&?-]/g, (byte) => `\\x${hexOf(byte.charCodeAt(0))}`);
}
