import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { AccessLog, type LogFormat } from '#src/text/access-logs/access-log.js';

describe('fields of a JSON log', () => {
  it('are read from the keys that are named, the others from their usual names', () => {
    const log = new AccessLog(undefined, 'path=p, time=when,status=s.code');
    const line = { p: '/old/flat-tyre', when: '2026-11-20T13:55:36Z', s: { code: 404 }, ip: '-', status: 200 };
    expect(log.push(JSON.stringify({ ...line, remote_addr: '203.0.113.9', agent: 'Firefox' }))).to.deep.equal({
      ...{ at: new Date('2026-11-20T13:55:36Z'), status: 404, method: 'GET', path: '/old/flat-tyre', origin: null },
      ...{ referrer: null, userAgent: 'Firefox', ip: '203.0.113.9' },
    });
    expect(log.push(JSON.stringify({ ...line, p: undefined, request_uri: '/x' }))).to.deep.equal({
      refused: 'it has none of p',
    });
  });

  it('are refused where a field is unknown, and for a format that has names of its own', () => {
    const refused = (fields: string, format?: LogFormat): string => {
      try {
        new AccessLog(format, fields).end();
        return '';
      } catch (error) {
        expect(error).to.be.instanceOf(OperatorError);
        return (error as Error).message;
      }
    };
    for (const part of ['paths=x', 'path', 'path=', 'constructor=x', ''])
      expect(refused(part)).to.include(
        `${JSON.stringify(part)} is not like path=RequestPath. Fields are time, status,`,
      );
    expect(refused('path=x', 'iis')).to.include('a log of iis has names of its own');
  });
});
