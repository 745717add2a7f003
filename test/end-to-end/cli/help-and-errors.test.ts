import { expect } from 'chai';
import { inParallel } from '../../support/in-parallel.js';
import { runInProcess } from '../../support/commands.js';
import { runCli, type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';

/** Every command, with the options that the contract names. */
const COMMANDS: [string, string[]][] = [
  ['', ['serve', 'migrate', 'project', 'key', 'pages', 'redirects', 'events', '--version']],
  ['serve', ['--role', 'all', 'api', 'worker', '--demo', '--json']],
  ['migrate', ['--json']],
  ['project', ['create', 'show', 'list', 'update', 'delete']],
  [
    'project create',
    ['--name', '--plan', 'enterprise', '--read-rate', '--read-burst', '--write-rate', '--write-burst', '--json'],
  ],
  ['project show', ['--project', '--json']],
  ['project list', ['--json']],
  ['project update', ['--project', '--plan', '--title-evidence', '--json']],
  ['project delete', ['--project', '--json']],
  ['key', ['create', 'list', 'revoke']],
  ['key create', ['--project', '--mode', 'live', 'test', '--scopes', '--expires-in', '--json']],
  ['key list', ['--project', '--json']],
  ['key revoke', ['--key', '--json']],
  ['pages', ['import', 'list', 'reindex']],
  ['pages import', ['file.jsonl', '--project', '--wait', '--json']],
  ['pages list', ['--project', '--status', 'PENDING_VECTORIZATION', '--json']],
  ['pages reindex', ['--project', '--json']],
  ['pages forget', ['--project', '--url', '--json']],
  ['redirects', ['import', 'map', 'export', 'verify', 'check', 'list', 'sections', 'delete']],
  ['redirects import', ['file', '--project', '--format', '--json']],
  ['redirects map', ['file', '--project', '--out', '--json']],
  ['redirects export', ['--project', '--format', 'nginx', 'cloudflare', '--out', '--json']],
  ['redirects verify', ['--project', '--site', '--json']],
  ['redirects check', ['--before', '--after', '--redirects', '--json']],
  ['redirects list', ['--project', '--limit', '--json']],
  ['redirects sections', ['--project', '--limit', '--json']],
  ['redirects delete', ['--project', '--from', '--json']],
  ['watch', ['show', 'set', 'test']],
  ['watch show', ['--project', '--json']],
  ['watch set', ['--project', '--email', '--no-webhook', '--alerts', 'dead_target', '--digest', '--json']],
  ['watch test', ['--project', '--json']],
  ['events', ['import']],
  ['events import', ['file', '--project', '--format', 'combined', 'cloudfront', '--json']],
];

/** Said in words: exit code 1, nothing on stdout, and no stack. */
function expectWords({ code, stdout, stderr }: Finished, ...words: string[]): void {
  expect(code, stderr).to.equal(1);
  expect(stdout).to.equal('');
  for (const word of words) expect(stderr).to.contain(word);
  expect(stderr).to.not.match(/^\s+at .*[:(]/m);
  expect(stderr).to.not.match(/Error:|node:internal|\.js:\d+/);
}

describe('the command line', function () {
  this.timeout(180_000);
  it('explains every command with --help, without a database', async () => {
    await inParallel(COMMANDS, async ([command, words]) => {
      const { code, stdout, stderr } = await runInProcess([...command.split(' ').filter(Boolean), '--help'], {
        DATABASE_URL: 'postgres://127.0.0.1:1/none',
      });
      expect([code, stderr], command).to.deep.equal([0, '']);
      expect(stdout, command).to.match(/^Usage: pathmend/);
      for (const word of words) expect(stdout, command).to.contain(word);
    });
  });

  it('names every wrong setting at once, without a password', async () => {
    const settings = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://me:topsecret@db/x',
      EVENT_IP_MODE: 'some',
      EVENT_RETENTION_DAYS: '0',
      LOG_LEVEL: 'loud',
      SUGGEST_PATH_EVIDENCE: 'maybe',
      TOMBSTONE_DAYS: '1.5',
    };
    for (const command of [['serve'], ['project', 'list', '--json']]) {
      const result = await (command[0] === 'serve' ? runCli : runInProcess)(command, settings);
      expectWords(result, ...Object.keys(settings), 'truncate', '"eighty"', '"loud"');
      expect(result.stderr).to.not.contain('topsecret');
    }
  });

  it('says what is wrong with a command or an option', async () => {
    const { environment } = sharedService().database;
    const wrong: [string[], ...string[]][] = [
      [['explode'], 'explode'],
      [['project', 'create'], '--name'],
      [['project', 'create', '--name', 'x', '--plan', 'gold'], 'gold', 'hacker'],
      [['key', 'create', '--project', 'x'], '--mode'],
      [['key', 'create', '--project', 'x', '--mode', 'demo'], 'demo', 'live'],
      [['serve', '--role', 'boss'], 'boss', 'worker'],
      [['pages', 'import', '--project', 'x'], 'file.jsonl'],
      [['pages', 'list', '--project', 'x', '--status', 'DONE'], 'DONE', 'INDEXED'],
    ];
    await inParallel(wrong, async ([args, ...words]) => {
      const result = await runInProcess(args, environment);
      expect([result.code, result.stdout], args.join(' ')).to.deep.equal([1, '']);
      for (const word of words) expect(result.stderr).to.contain(word);
      expect(result.stderr).to.not.match(/^\s+at /m);
    });
  });
});
