import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { parse } from 'yaml';
import { packageRoot } from '#src/base/package-root.js';
import { freePort } from '../../../scripts/service/throwaway-database.js';
import { onServer } from '../../support/database.js';
import { sharedService } from '../../support/shared-service.js';
import { until } from '../../support/until.js';

describe('the profile analytics of docker-compose.yml (on a server only)', () => {
  it('passes connections on to the database, and outlives those that break', async function () {
    if (!onServer()) this.skip();
    const compose = parse(await readFile(join(packageRoot(), 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: { analytics: { entrypoint: string[] } };
    };
    const [, flag = '', script = ''] = compose.services.analytics.entrypoint;
    // It listens where its container does; a test beside others takes a port that is free.
    const port = await freePort();
    const at = new URL(sharedService().database.environment['DATABASE_URL'] ?? '');
    const child = spawn(process.execPath, [flag, script.replace('listen(5432)', `listen(${port}, '127.0.0.1')`)], {
      env: { PATH: process.env['PATH'], DATABASE_URL: `postgres://${at.host}/other` },
      stdio: 'inherit',
    });
    try {
      at.port = String(port);
      const ask = async (): Promise<unknown> => {
        const client = new pg.Client({ connectionString: at.href });
        client.on('error', () => undefined);
        await client.connect();
        const { rows } = await client.query('select count(*)::int as n from analytics.not_founds_daily');
        // Without a word to the server.
        (
          client as unknown as { connection: { stream: { resetAndDestroy(): void } } }
        ).connection.stream.resetAndDestroy();
        return rows;
      };
      await until('it passes a question on', () =>
        ask().then(
          () => true,
          () => false,
        ),
      );
      expect(await ask()).to.have.length(1);
      expect(child.exitCode).to.equal(null);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });
});
