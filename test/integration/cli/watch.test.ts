import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import type { TestProject } from '../../support/service.js';
import { OWN_MAIL, OWN_NETWORK } from '../../support/watch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const URL = 'http://127.0.0.1:9/hook';

describe('watch show, set, test', function () {
  this.timeout(60_000);
  let project: TestProject;
  const folder = temporaryFolder();

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const environment = (): Record<string, string> => ({
    ...sharedService().database.environment,
    ...OWN_NETWORK,
    ...OWN_MAIL,
  });
  const run = (...args: string[]): Promise<Finished> =>
    runInProcess([...args, '--project', project.row.name], environment());
  // Commands answer with every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const json = (...args: string[]): Promise<any> =>
    jsonInProcess([...args, '--project', project.row.name], environment());

  it('set what was named and leave the rest; the secret is shown when it is new, and never again', async () => {
    expect(await json('watch', 'show')).to.deep.equal({
      emails: [],
      webhook_url: null,
      watched_for: [],
      digest: false,
      alerts: [],
      deliveries: [],
    });
    const { secret } = await json('watch', 'set', '--webhook', URL);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    mustStaySecret(secret as string);
    expect(await json('watch', 'set', '--email', 'ann@example.com', 'bob@example.com')).to.deep.equal({
      changed: true,
    });
    expect(await json('watch', 'set', '--alerts', 'dead_target', '--digest', 'off')).to.deep.equal({ changed: true });
    expect(await json('watch', 'show')).to.deep.include({
      emails: ['ann@example.com', 'bob@example.com'],
      webhook_url: URL,
      watched_for: ['dead_target'],
      digest: false,
    });
    const renewed = (await json('watch', 'set', '--new-secret')) as { secret: string };
    expect(renewed.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    expect(await json('watch', 'set', '--no-email', '--no-webhook')).to.deep.equal({ changed: true });
    expect(await json('watch', 'show')).to.deep.include({ emails: [], webhook_url: null });
    const stored = await project.query(
      'select from pathmend.watches where project_id = $1 and webhook_secret is not null',
    );
    expect(stored).to.be.empty;
  });

  it('refuse an e-mail address where no mail is sent, and a webhook that leads to the operator', async () => {
    const set = (...args: string[]): Promise<Finished> =>
      runInProcess(['watch', 'set', '--project', project.row.name, ...args]);
    const mailed = await set('--email', 'ann@example.com');
    expect([mailed.code, mailed.stderr]).to.deep.equal([
      1,
      '--email: This server sends no e-mail yet: its operator has to set SMTP_URL and MAIL_FROM.\n',
    ]);
    const posted = await set('--webhook', 'https://localhost/hook');
    expect(posted.code).to.equal(1);
    expect(posted.stderr).to.include(
      '--webhook: localhost leads to 127.0.0.1, an address that is not public, which WEBHOOK_NETWORKS does not allow',
    );
  });

  it('queue a test, and show what became of it', async () => {
    await json('watch', 'set', '--email', 'ann@example.com');
    expect(await json('watch', 'test')).to.deep.equal({ queued: 1 });
    const { stdout } = await run('watch', 'show');
    expect(stdout)
      .to.match(/e-mail +ann@example\.com\n/)
      .and.match(/ test to email: (?:waiting|failed) after [01] attempts/);
  });

  it('say what is wrong about an option', async () => {
    for (const [words, reason] of [
      [['set'], 'Nothing to change'],
      [
        ['set', '--webhook', 'http://10.0.0.1/'],
        '--webhook: 10.0.0.1 leads to 10.0.0.1, an address that is not public',
      ],
      [['set', '--email', 'a@example.com\nBcc: b@example.com'], '--email: This is not an e-mail address'],
      [['set', '--alerts', 'everything'], 'Allowed choices are not_found_spike'],
      [['set', '--new-secret'], 'There is no webhook to sign.'],
      [['test'], 'Alerts have no receiver yet'],
    ] as const) {
      const { code, stdout, stderr } = await run('watch', ...words);
      expect([code, stdout], stderr).to.deep.equal([1, '']);
      expect(stderr).to.include(reason);
      expect(stderr).to.not.match(/^\s+at .*[:(]/m);
    }
  });

  it('hear of a sync that would delete too much, and of the next that does not', async () => {
    await pushPages(project, '/a', '/b', '/c', '/d', '/e');
    await json('watch', 'set', '--email', 'ann@example.com');
    const sync = async (...paths: string[]): Promise<number | null> => {
      const file = join(folder, 'pages.jsonl');
      const row = (path: string): string =>
        JSON.stringify({ url: `https://shop.example${path}`, content: `Page ${path}` });
      await writeFile(file, paths.map(row).join('\n'));
      return (await run('pages', 'sync', file, '--prune')).code;
    };
    expect(await sync('/a', '/b')).to.equal(1);
    expect(await sync('/a', '/b')).to.equal(1);
    const { alerts, deliveries } = await json('watch', 'show');
    expect(alerts.length).to.equal(1);
    expect(alerts[0]).to.deep.include({
      kind: 'refused_prune',
      cause: {
        gone: 3,
        pages: 5,
        reason:
          "the source does not have 3 of the project's 5 pages, more than a fifth. --force deletes them all the same.",
      },
      ended_at: null,
    });
    expect(deliveries.length).to.equal(1);
    // The alert lasts until the source has the pages again.
    expect(await sync('/a', '/b', '/c', '/d', '/e')).to.equal(0);
    const after = await json('watch', 'show');
    expect(after.alerts[0].ended_at).to.be.a('string');
    const types = (after.deliveries as { type: string }[]).map(({ type }) => type);
    expect(types).to.deep.equal(['alert.ended', 'alert.began']);
  });
});
