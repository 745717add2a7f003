import { expect } from 'chai';
import type { Answer } from './service.js';

export const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  403: 'insufficient_permissions',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  429: 'rate_limit_exceeded',
  500: 'internal_error',
};

/** The answer is an error of this status in the contract's shape; `param` names the field, undefined: names none. */
export function expectError(answer: Answer, status: number, param?: string, what = ''): void {
  const summary = `${what} answered ${answer.status}: ${answer.text.slice(0, 200)}`;
  expect(answer.status, summary).to.equal(status);
  expect(answer.headers.get('content-type'), summary).to.match(/^application\/json/);
  expect(answer.body, summary).to.have.all.keys('error');
  expect(answer.body.error.code, summary).to.equal(CODES[status]);
  expect(answer.body.error.message, summary).to.be.a('string').that.has.length.above(10);
  expect(answer.body.error.param, summary).to.equal(param);
  for (const name of Object.keys(answer.body.error as object)) {
    expect(name, summary).to.be.oneOf(['code', 'message', 'param', 'details']);
  }
}
