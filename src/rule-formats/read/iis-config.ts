import { Parser } from 'htmlparser2';
import { invalid } from '../../base/errors.js';
import { groupBy } from '../../base/group-by.js';
import { withConditions } from './conditions.js';
import { isTrue, readRedirect, readConditions, termsOf, type Attributes } from './iis-rules.js';
import { NOTHING, skipConditional, withTerms, type ReaderRule, type ReadRule, type Rule } from './read-rule.js';
import { checkDepth } from './scopes.js';
import { escapeColons } from './source-address.js';
import { toRule } from './to-rule.js';

/** An element `rule` of URL Rewrite, or `httpRedirect`, with what it holds. */
interface IisRule {
  line: number;
  name: string;
  attributes: Attributes;
  match: Attributes;
  conditions: Attributes;
  adds: Attributes[];
  action: Attributes;
  /** The path of the `<location path="…">` around the element. */
  location: string | undefined;
}

interface RewriteMap {
  name: string;
  attributes: Attributes;
  line: number;
  entries: { line: number; key: string; value: string }[];
}

/**
 * Reads the rules of a `web.config`: `rule` with `match`, `conditions` and `action`; the entries of a `rewriteMap`,
 * also where it stands in a file of its own; `httpRedirect` of one file. Comments do not count.
 */
export function readIisConfig(text: string): ReaderRule[] {
  const { rules, maps } = parse(text);
  const readerRules: ReaderRule[] = [];
  const push = (line: number, rule: ReadRule): void => {
    readerRules.push({ line, rule });
  };
  const mapByName = new Map(maps.map((map) => [map.name, map]));
  // A rule may become as many rules as it has conditions: its names are read once for all of them.
  const named = rules.map((rule) => ({ rule, names: mapsOf(rule) }));
  const usersOf = groupBy(
    named.flatMap(({ rule, names }) => [...names].map((name) => ({ name, rule }))),
    ({ name }) => name,
  );
  for (const { rule, names } of named) {
    if (rule.name === 'httpRedirect') push(rule.line, () => readHttpRedirect(rule));
    else for (const adds of alternativesOf(rule)) push(rule.line, () => readRule(rule, adds, names, mapByName));
  }
  for (const map of maps) {
    const users = (usersOf.get(map.name) ?? []).map(({ rule }) => rule);
    // In a file of its own, a map redirects its keys. In a file with rules, it does so if the rules use it in that way.
    const isRead = users.length === 0 ? rules.length === 0 : users.every((rule) => isOfMap(rule, map));
    for (const { line, key, value } of map.entries)
      push(line, () =>
        isRead
          ? withTerms(toRule(escapeColons(rooted(key)), rooted(value)), termsOf(users[0]?.action ?? {}))
          : skipConditional(`rewriteMap ${map.name}: ${key}`),
      );
    const otherwise = map.attributes['defaultvalue'] ?? '';
    if (otherwise !== '') push(map.line, () => toRule('/*', rooted(otherwise)));
  }
  return readerRules.sort((a, b) => a.line - b.line);
}

function parse(text: string): { rules: IisRule[]; maps: RewriteMap[] } {
  const rules: IisRule[] = [];
  const maps: RewriteMap[] = [];
  const locations: string[] = [];
  let rule: IisRule | undefined;
  let map: RewriteMap | undefined;
  let [line, counted, depth] = [1, 0, 0];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        checkDepth(++depth);
        for (let at = text.indexOf('\n', counted); at >= 0 && at < parser.startIndex; at = text.indexOf('\n', at + 1)) {
          line++;
          counted = at + 1;
        }
        if (name === 'location') locations.push(attributes['path'] ?? '');
        else if (name === 'rule' || name === 'httpredirect') {
          const location = locations.findLast((path) => path !== '' && path !== '.');
          const kind = name === 'rule' ? 'rule' : 'httpRedirect';
          rule = { line, name: kind, attributes, match: {}, conditions: {}, adds: [], action: {}, location };
          rules.push(rule);
        } else if (name === 'rewritemap') {
          map = { name: attributes['name'] ?? '', attributes, line, entries: [] };
          maps.push(map);
        } else if (name === 'add' && map)
          map.entries.push({ line, key: attributes['key'] ?? '', value: attributes['value'] ?? '' });
        else if (name === 'add') rule?.adds.push(attributes);
        else if (rule && (name === 'match' || name === 'conditions' || name === 'action')) rule[name] = attributes;
      },
      onclosetag: (name) => {
        depth--;
        if (name === 'location') locations.pop();
        else if (name === 'rule' || name === 'httpredirect') rule = undefined;
        else if (name === 'rewritemap') map = undefined;
      },
    },
    { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(text);
  return { rules, maps };
}

/** Lists the ways to meet the conditions of a rule; each becomes a rule. If one condition is enough, each is a way. */
function alternativesOf({ conditions, adds }: IisRule): Attributes[][] {
  const isAny = conditions['logicalgrouping']?.toLowerCase() === 'matchany';
  return isAny && adds.length > 0 ? adds.map((add) => [add]) : [adds];
}

function readRule(
  rule: IisRule,
  adds: readonly Attributes[],
  names: ReadonlySet<string>,
  maps: ReadonlyMap<string, RewriteMap>,
): Rule | Rule[] {
  const { attributes, match, action, location } = rule;
  const [expression = '', target = ''] = [match['url'], action['url']];
  const text = `${expression} ${target}`;
  if (attributes['enabled']?.trim().toLowerCase() === 'false') return NOTHING;
  const isGone = action['type'] === 'CustomResponse' && /^4(?:10|51)$/.test(action['statuscode'] ?? '');
  if (!isGone && action['type'] !== 'Redirect') return { kind: 'skipped', reason: 'notRedirect', text };
  for (const name of names) {
    const map = maps.get(name);
    if (!map) throw invalid(undefined, `${text}: the rewriteMap ${name} is in another file; import that one`);
    return isOfMap(rule, map) ? NOTHING : skipConditional(`rewriteMap ${name}: ${text}`);
  }
  if (isTrue(match['negate']) || location !== undefined)
    return skipConditional(location === undefined ? `negate="true": ${text}` : `location path="${location}": ${text}`);
  const syntax = attributes['patternsyntax'] ?? 'ECMAScript';
  const conditions = readConditions(adds, syntax);
  if (!conditions || /\{C:\d\}/.test(target)) return skipConditional(text);
  return withConditions(readRedirect(expression, syntax, action, isGone), text, conditions);
}

/** Lists the names of the maps that a rule looks into, such as `Old` in `{Old:{REQUEST_URI}}`. */
function mapsOf({ adds, action }: IisRule): ReadonlySet<string> {
  const texts = [...adds.map((add) => add['input'] ?? ''), action['url'] ?? ''];
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/\{([^{}:]+):/g)].flatMap(([, name = '']) =>
        /^(?:[RC]|ToLower|UrlEncode|UrlDecode)$/i.test(name) ? [] : [name],
      ),
    ),
  );
}

/** Tells whether a rule redirects each key of a map to its value, and does nothing else. */
function isOfMap({ attributes, match, conditions, adds, action, location }: IisRule, { name }: RewriteMap): boolean {
  const [condition, ...otherAdds] = adds;
  const input = condition?.['input'] ?? '';
  const key = input.startsWith(`{${name}:`) ? input.slice(name.length + 2, -1) : '';
  const isAll = /^(?:\.\*|\(\.\*\)|\^\(\.\*\)\$|\^\.\*\$)$/.test(match['url'] ?? '');
  const isKey = key === '{REQUEST_URI}' || key === '{PATH_INFO}' || key === '{URL}' || /^\/?\{R:[01]\}$/.test(key);
  return (
    attributes['enabled']?.toLowerCase() !== 'false' &&
    action['type'] === 'Redirect' &&
    /^\/?\{C:[01]\}$/.test(action['url'] ?? '') &&
    location === undefined &&
    otherAdds.length === 0 &&
    isAll &&
    isKey &&
    !isTrue(match['negate']) &&
    !isTrue(condition?.['negate']) &&
    /^\^?\(?\.[+*]\)?\$?$/.test(condition?.['pattern'] ?? '') &&
    (attributes['patternsyntax'] ?? 'ECMAScript') === 'ECMAScript' &&
    (conditions['logicalgrouping'] ?? 'MatchAll') === 'MatchAll'
  );
}

/** Reads the `httpRedirect` of one file. That of a folder is refused: its effect depends on what is in the folder. */
function readHttpRedirect({ attributes, location, adds }: IisRule): Rule {
  if (!isTrue(attributes['enabled'])) return NOTHING;
  const to = attributes['destination'] ?? '';
  if (location === undefined || !/\.\w+$/.test(location) || adds.length > 0 || /\$/.test(to))
    throw invalid(
      undefined,
      `httpRedirect${location === undefined ? '' : ` of ${location}`} is read only for one file, as in <location path="old.htm">: write it as a line \`/old/* ${to}\``,
    );
  const action = { type: 'Redirect', redirecttype: attributes['httpresponsestatus'] ?? 'Found' };
  return withTerms(toRule(escapeColons(rooted(location)), to), termsOf(action));
}

function rooted(address: string): string {
  return /^(?:\/|https?:\/\/)/i.test(address) ? address : `/${address.replace(/^~\//, '')}`;
}
