import { ApiError } from '../../base/errors.js';
import { compileBody } from '../../base/validate.js';
import { MAX_PATH, MAX_URL, type Rule } from './read-rule.js';
import { columnName, readColumns } from './table-columns.js';
import { toRule } from './to-rule.js';

const PATH = { type: 'string', minLength: 1, maxLength: MAX_PATH } as const;

const checkRow = compileBody({
  type: 'object',
  required: ['path', 'expected'],
  properties: { path: PATH, expected: { type: 'string', minLength: 1, maxLength: MAX_URL } },
});
const checkGoneRow = compileBody({ type: 'object', required: ['path'], properties: { path: PATH } });

/** `{"path": …, "expected": …}`, with more fields perhaps. @throws ApiError */
export function readJsonRow(text: string): Rule | Rule[] {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ApiError('invalid_request', { message: 'not valid JSON', cause: error });
  }
  const { target, expected = target, ...others } = value;
  const from = checkGoneRow(value).path.trim();
  const cells = Object.entries(others).filter(([name]) => name !== 'path');
  return readColumns(
    cells.map(([name, one]) => [columnName(name), one === null || one === undefined ? '' : asText(one)] as const),
    from,
    typeof expected === 'string' ? expected.trim() : '',
    () => toRule(from, checkRow({ ...value, expected }).expected.trim(), value),
  );
}

/** Parameters of a query string may be an object: none say nothing. */
function asText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
    .join('&');
}
