import { decodeBytes, printablePath } from '../read/source-address.js';
import {
  expressionOf,
  hexOf,
  hostExpression,
  isClosed,
  mergedPath,
  queryExpressions,
  targetOf,
  textExpression,
  withQuery,
} from './regular-expressions.js';
import { isRedirect, type AnyRule, type Lines, type Matching, type RuleFormat } from './written-rule.js';

/**
 * IIS reads no web.config of more than 250 KB, unless the registry allows it. The other settings of the file need room,
 * too.
 */
const IIS_BYTES = 240 * 1024;

const TYPES: Partial<Record<number, string>> = { 301: 'Permanent', 302: 'Found', 303: 'SeeOther', 307: 'Temporary' };

export function createIis({ anyCase = false }: Matching = {}): RuleFormat {
  let bytes = 0;
  const write = (rule: AnyRule, number: number): Lines => {
    const plain = printablePath(mergedPath(rule.path));
    if (/%2F/i.test(rule.path)) return { reason: 'IIS compares the decoded path: an encoded slash is a slash there' };
    if (plain === undefined) return { reason: 'IIS cannot tell this path apart: it is not printable' };
    const lines = iisLines(rule, plain, number, anyCase);
    const length = Buffer.byteLength(lines.join('\n')) + 1;
    if (bytes + length > IIS_BYTES)
      return { reason: 'IIS reads no web.config of more than 250 KB, and these rules may take 240 of it' };
    bytes += length;
    return lines;
  };
  return {
    head: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<configuration>',
      '  <system.webServer>',
      '    <rewrite>',
      '      <rules>',
    ],
    foot: ['      </rules>', '    </rewrite>', '  </system.webServer>', '</configuration>'],
    codes: [301, 302, 303, 307, 410, 451],
    write,
  };
}

function iisLines(rule: AnyRule, plain: string, number: number, anyCase: boolean): string[] {
  // The texts of a pattern are percent-encoded, and a path is plain here.
  const literal = (text: string): string => escaped(rule.pattern ? decodeBytes(text).toString() : text);
  const begun = expressionOf({ ...rule, path: plain }, { literal, any: '.' }).slice(1);
  const expression = `^${begun}${isClosed(rule) || rule.rest === 'kept' ? '' : '.*'}$`;
  const ignoreCase = `ignoreCase="${String(anyCase)}"`;
  const conditions = [
    ...(rule.host === undefined
      ? []
      : [`<add input="{HTTP_HOST}" pattern="^${xmlText(hostExpression(rule.host, escaped))}$" />`]),
    ...queryExpressions(rule.query, escaped).map(
      (text) => `<add input="{QUERY_STRING}" pattern="${xmlText(text)}" ignoreCase="false" />`,
    ),
  ];
  return [
    `        <rule name="pathmend ${number}" stopProcessing="true">`,
    `          <match url="${xmlText(expression)}" ${ignoreCase} />`,
    ...(conditions.length === 0 ? [] : [`          <conditions>${conditions.join('')}</conditions>`]),
    `          <action ${actionOf(rule)} />`,
    '        </rule>',
  ];
}

function actionOf(rule: AnyRule): string {
  if (!isRedirect(rule))
    return rule.code === 451
      ? 'type="CustomResponse" statusCode="451" statusReason="Unavailable For Legal Reasons"'
      : 'type="CustomResponse" statusCode="410" statusReason="Gone"';
  const target = targetOf(rule, (part) => `{R:${part}}`);
  // A query string that IIS appends would stand behind the section.
  const isBeforeSection = rule.passQuery === true && target.includes('#');
  const url = isBeforeSection ? withQuery(target, '?{QUERY_STRING}', '&{QUERY_STRING}') : target;
  const appends = rule.passQuery === true && !isBeforeSection;
  const type = TYPES[rule.code ?? 301] ?? 'Permanent';
  return `type="Redirect" url="${xmlText(url)}" redirectType="${type}" appendQueryString="${String(appends)}"`;
}

const escaped = (text: string): string =>
  textExpression(text, (point) => (point > 0x7f ? String.fromCodePoint(point) : `\\x${hexOf(point)}`));

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
