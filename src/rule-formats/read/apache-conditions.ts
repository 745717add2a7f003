import {
  MAX_CONDITIONS,
  readApacheTime,
  readHostExpression,
  readHosts,
  readQueryExpression,
  type Conditions,
} from './conditions.js';

/** What stands before the path in `%{THE_REQUEST}`. */
const METHOD = '^\\S+ ';
/** Ways to meet conditions that are joined by OR; each becomes a rule. */
const MAX_ALTERNATIVES = 20;

/** The words of a `RewriteCond`: what it tests, an expression, flags. */
export type RewriteCond = readonly string[];

/** OR binds more than AND: a rule for each way to meet the conditions. One, and refused, where they are too many. */
export function alternativesOf(conditions: readonly RewriteCond[]): (readonly RewriteCond[])[] {
  const tooMany = [[...conditions.slice(0, MAX_CONDITIONS), ['more conditions than are read']]];
  if (conditions.length > MAX_CONDITIONS) return tooMany;
  let ways: RewriteCond[][] = [[]];
  let group: RewriteCond[] = [];
  for (const [at, condition] of conditions.entries()) {
    group.push(condition);
    const isJoined = /[[,](?:OR|ornext)[\],]/i.test(condition[2] ?? '');
    if (isJoined && at < conditions.length - 1) continue;
    if (ways.length * group.length > MAX_ALTERNATIVES) return tooMany;
    ways = ways.flatMap((way) => group.map((one) => [...way, one]));
    group = [];
  }
  return ways;
}

/** What conditions say that must hold together, and the expression of the request that one of them is. */
export interface ReadConditions {
  when: Conditions[];
  request?: string;
}

/** @returns the condition that is not understood, in words */
export function readConditions(conditions: readonly RewriteCond[]): ReadConditions | { refused: string } {
  const read: ReadConditions = { when: [] };
  for (const [tested = '', pattern = ''] of conditions) {
    const one = readCondition(tested, pattern);
    if (one) read.when.push(one);
    else if (tested === '%{THE_REQUEST}' && pattern.startsWith(METHOD) && read.request === undefined)
      read.request = `^${pattern.slice(METHOD.length)}`;
    else return { refused: `RewriteCond ${tested} ${pattern}` };
  }
  return read;
}

function readCondition(tested: string, pattern: string): Conditions | undefined {
  if (tested === '%{TIME}') return readApacheTime(pattern);
  if (tested === '%{HTTP_HOST}' || tested === '%{SERVER_NAME}') {
    const hosts = pattern.startsWith('=') ? readHosts([pattern.slice(1)]) : readHostExpression(pattern);
    return hosts && { hosts };
  }
  const query = tested === '%{QUERY_STRING}' ? readQueryExpression(pattern) : undefined;
  return query === undefined ? undefined : { query };
}
