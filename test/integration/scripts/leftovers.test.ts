import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createOwnServer, ownServerRoot, skipsOwnServers, type OwnServer } from '../../support/own-server.js';

const run = promisify(execFile);

/** The processes that work in a data folder. */
function processesIn(folder: string): number[] {
  const of = (pid: string): string => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && of(name) === folder)
    .map(Number);
}

describe('what a killed server of scripts/postgres leaves behind', function () {
  this.timeout(60_000);
  const servers: OwnServer[] = [];

  before(async function () {
    if (skipsOwnServers()) this.skip();
    servers.push(await createOwnServer(), await createOwnServer());
  });

  after(async () => {
    for (const server of servers) await server.remove();
  });

  it('is ended before it starts again, and another server in the chroot is not', async () => {
    const [killed, other] = servers as [OwnServer, OwnServer];
    const client = await other.connect();
    await killed.signal('SIGSTOP');
    process.kill(Number(readFileSync(`${killed.folder}/postmaster.pid`, 'utf8').split('\n')[0]), 'SIGKILL');
    expect(processesIn(killed.folder), 'what it left').to.not.be.empty;
    const root = ownServerRoot() ?? '';
    const inside = killed.folder.slice(root.length);
    // Node's pipe is a socket, by which bash takes itself for a server's shell and reads its rc file.
    const { stderr } = await run('bash', [
      '--norc',
      '-euc',
      '. scripts/postgres/lib.sh; DIR=$(realpath "$1"); end_leftovers "$2" "$2.new"',
      '_',
      root,
      inside,
    ]);
    expect(stderr).to.equal('');
    expect(processesIn(killed.folder)).to.deep.equal([]);
    expect((await client.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    await client.end();
  });
});
