import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { rowsWithPlan } from '#src/platform/database/session/driver.js';
import { inScope } from '#src/platform/telemetry/tracing.js';
import type { Span, Tracer } from '#src/platform/telemetry/tracing.js';
import { createTracer } from '#src/platform/telemetry/open-telemetry.js';
import { onServer } from '../../../../support/database.js';
import { sharedService } from '../../../../support/shared-service.js';
import { receiveTraces, type TraceReceiver, tracingTo } from '../../../../support/trace-receiver.js';

describe('the comment of a statement', () => {
  const operation = '/v1/pages/upsert';
  const statement = sql<{ text: string }>`select current_query() as text, ${1}::int as one`;
  let receiver: TraceReceiver;
  let tracer: Tracer;
  let span: Span;

  before(async () => {
    receiver = await receiveTraces();
    tracer = createTracer(tracingTo(receiver), { warn: () => undefined });
    span = tracer.begin(operation, 'server', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  });

  after(async () => {
    await tracer.stop();
    await receiver.stop();
  });

  const textIn = async (scope: { requestId?: string; span?: Span }): Promise<string> =>
    inScope({ operation, ...scope }, async () => {
      const { rows } = await statement.execute(sharedService().service.db);
      return rows[0]?.text ?? '';
    });

  it('says for which request it is, and which trace', async () => {
    expect(await textIn({ requestId: 'a-request.1' })).to.match(/ as one\n\/\*request_id='a-request\.1'\*\/$/);
    expect(await textIn({ requestId: 'x', span })).to.match(
      /\n\/\*request_id='x',traceparent='00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01'\*\/$/,
    );
  });

  it('is not there outside of a request or job, and none holds an id that could end it', async () => {
    const { rows } = await statement.execute(sharedService().service.db);
    expect(rows[0]?.text).to.not.include('/*');
    for (const requestId of ['*/ drop table x; /*', "a'b", 'x'.repeat(65), 'a\nb', ''])
      expect(await textIn({ requestId }), requestId).to.not.include('/*');
  });

  it('is left out where the plan is kept: one plan serves all requests', async function () {
    if (!onServer()) this.skip();
    const { db } = sharedService().service;
    const connection = await db.connection().execute(async (session) => {
      for (const requestId of ['a', 'b', 'c'])
        await inScope({ operation, requestId, span }, () => rowsWithPlan(session, statement, 'generic'));
      return sql<{ statement: string; uses: number }>`
        select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements
         where statement like 'select current_query() as text%'`.execute(session);
    });
    expect(connection.rows).to.deep.equal([{ statement: statement.compile(db).sql, uses: 3 }]);
  });
});
