import {
  queryCondition,
  readHosts,
  readParameter,
  readSeconds,
  withConditions,
  type Conditions,
} from './conditions.js';
import { readExpression, type Matched } from './expressions.js';
import { codeOf, skipConditional, skipPattern, type ReadRule } from './read-rule.js';
import { escapeColons, escapeDecoded } from './source-address.js';
import { haproxyWords } from './split-words.js';
import { allBelow, toMatchedRule } from './to-rule.js';

/** A segment of the path, or the rest from one on or behind so many bytes, without the text around a placeholder. */
const SEGMENT = /%\[path,(?:bytes\(\d+\)|field\((\d+),\/(,0)?\)(?:,bytes\((\d+)\))?(,regsub\([^()]*,,i\))?)\]/g;

/** `-i`, `-f` and others. */
const FLAG = /^-[ifmnuM]$/;
/** The host that is asked, without its port perhaps, and compared in lower case. */
const HOST = /^(?:(?:req\.)?hdr\(host\)(?:,(?:field\(1,:\)|lower|host_only|word\(1,:\)))*|(?:req\.)?host_only)$/i;

interface Test {
  name: string;
  how: string;
  values: readonly string[];
  isRaw: boolean;
}

/** `http-request redirect code 301 location /new if { path /old }`: a rule for each of the paths. */
export function readHaproxy(line: string): ReadRule[] {
  const words = haproxyWords(line);
  const at = words.indexOf('location');
  const text = words.join(' ');
  const status = words[1] === 'return' ? codeOf(words[words.indexOf('status') + 1] ?? '') : undefined;
  const isGone = status !== undefined && status > 400;
  if (!isGone && (at < 0 || !words.includes('redirect')))
    return [() => ({ kind: 'skipped', reason: 'notRedirect', text })];
  const isIf = words.indexOf('if');
  if (isIf < 0) return [() => (words.includes('unless') ? skipConditional(text) : skipPattern(text, ''))];
  const tests = testsOf(words.slice(isIf + 1));
  const [path, ...paths] = tests?.filter(({ name }) => name === 'path') ?? [];
  const when = tests?.filter(({ name }) => name !== 'path').map(conditionOf) ?? [];
  if (!path || paths.length > 0) return [() => skipConditional(text)];
  const conditions = when.filter((one) => one !== undefined);
  if (conditions.length < when.length) return [() => skipConditional(text)];
  const target = isGone ? undefined : (words[at + 1] ?? '').replace(/%%/g, '%');
  const code = status ?? (words.includes('code') ? codeOf(words[words.indexOf('code') + 1] ?? '') : 302);
  if (code === undefined) return [() => ({ kind: 'skipped', reason: 'notRedirect', text })];
  const passQuery = words.slice(0, isIf).includes('keep-query');
  return path.values.map((value) => () => {
    const matched = matchedBy(path, value);
    if (!matched) return skipPattern(text, '');
    const isPattern = target !== undefined && 'pattern' in matched;
    const named = isPattern ? namedParts(target, matched.pattern) : { target, matched };
    const rule = toMatchedRule(text, named.matched, { code, passQuery, target: named.target });
    return withConditions(rule, text, conditions);
  });
}

/** undefined: what is compared is not understood. */
function matchedBy({ how, isRaw }: Test, value: string): Matched | undefined {
  if (how === 'reg') return readExpression(value, isRaw);
  if (how === 'beg' && value.endsWith('/')) return allBelow(isRaw ? value : escapeDecoded(value));
  return how === 'str' ? { path: isRaw ? escapeColons(value) : escapeDecoded(value) } : undefined;
}

/** A target in which segments of the path have the names that a pattern gives them: `${name}`. */
function namedParts(written: string, pattern: string): { target: string; matched: Matched } {
  const segments = pattern.split('/');
  const groups = new Map<string, string>();
  const target = written.replace(SEGMENT, (all, field?: string, rest?: string, bytes = '0', ending?: string) => {
    const [, before = '', name = 'splat', after = ''] =
      /^([^:*]*)(?::(\w+)|\*)(\W.*)?$/.exec(segments.at(field === undefined ? -1 : Number(field) - 1) ?? '') ?? [];
    const isRest = rest !== undefined || field === undefined;
    if (before.length !== Number(bytes) || (after !== '') !== (ending !== undefined) || isRest !== (name === 'splat'))
      return all;
    groups.set(name, `:${name}`);
    return `\${${name}}`;
  });
  return { target, matched: { pattern, groups } };
}

/** What a test of something else than the path says; undefined: it is not understood. */
function conditionOf({ name, how, values }: Test): Conditions | undefined {
  const [value = '', ...others] = values;
  if (HOST.test(name)) {
    const hosts = how === 'str' ? readHosts(values) : undefined;
    return hosts && { hosts };
  }
  if (/^date(?:\(\))?$/.test(name)) return others.length === 1 ? readSeconds(value, others[0] ?? '') : undefined;
  if (others.length > 0) return undefined;
  if (name === 'query' && (how === 'str' || how === 'reg')) return queryCondition(value, how === 'reg');
  const parameter = how === 'str' ? /^(?:url_param|urlp)\((\w+)\)$/.exec(name)?.[1] : undefined;
  const query = readParameter(parameter ?? '', value);
  return query === undefined ? undefined : { query };
}

/** Of `{ path,url_dec -m str /old } { query -m str id=7 }`; undefined where anything else stands. */
function testsOf(words: readonly string[]): Test[] | undefined {
  const found: Test[] = [];
  for (let at = 0; at < words.length; at++) {
    const close = words.indexOf('}', at);
    if (words[at] !== '{' || close < 0) return undefined;
    const [name = '', ...rest] = words.slice(at + 1, close);
    const how = rest[0] === '-m' ? rest[1] : name.endsWith('_beg') ? 'beg' : name.endsWith('_reg') ? 'reg' : 'str';
    const given = rest[0] === '-m' ? rest.slice(2) : rest;
    const bare = given[0] === '-i' && HOST.test(name) ? given.slice(1) : given;
    const values = bare[0] === '--' ? bare.slice(1) : bare;
    // Flags change what is compared.
    if (how === undefined || values.length === 0 || FLAG.test(bare[0] ?? '')) return undefined;
    found.push({ name: name.replace(/,url_dec$|_beg$|_reg$/, ''), how, values, isRaw: !name.endsWith(',url_dec') });
    at = close;
  }
  return found;
}
