import { writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import { expect } from 'chai';
import { Command } from 'commander';
import { addCommands } from '#src/cli/shared/run-command.js';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** They change no key, rule, project or user. */
const OTHERS = [
  ...['serve', 'migrate', 'doctor', 'config'],
  ...['project show', 'project list', 'key list', 'user list', 'watch show', 'watch test'],
  ...['redirects list', 'redirects sections', 'redirects history', 'redirects try', 'redirects check'],
  ...['redirects map', 'redirects export', 'redirects verify', 'redirects propose', 'redirects proposals'],
  ...['pages import', 'pages export', 'pages list', 'pages reindex', 'pages forget', 'events import', 'events forget'],
  // It needs a server; its entry is looked at in projects/analyst.test.ts.
  'analyst create',
  // Its runs are kept, with what they changed, in sync_runs.
  'pages sync',
];

async function allCommands(): Promise<string[]> {
  const context = { environment: {}, stdin: process.stdin, stdout: new PassThrough(), stderr: new PassThrough() };
  const groups = new Command();
  await addCommands(groups, context, []);
  const names: string[] = [];
  for (const name of groups.commands.map((group) => group.name())) {
    const program = new Command();
    await addCommands(program, context, [name]);
    const commands = program.commands[0]?.commands ?? [];
    names.push(...(commands.length === 0 ? [name] : commands.map((subcommand) => `${name} ${subcommand.name()}`)));
  }
  return names;
}

describe('the audit log says of the command line', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  it('who changed a key, a rule, a project or a user, and what; a command that leaves no entry is named here', async () => {
    const { service, database } = sharedService();
    const { environment } = database;
    const project = await sharedService().newProject();
    const id = project.row.project_id;
    await project.upsert({ url: 'https://shop.example/new', content: 'Kettles boil water.' });
    await project.indexed();
    const file = join(folder, 'redirects.csv');
    await writeFile(file, 'old,new\n/imported,/new\n');
    const email = `${randomUUID().slice(0, 8)}@example.com`;
    const name = `audited ${randomUUID()}`;
    const seen: string[] = [];
    let last = '0';
    const run = async (command: string, ...args: string[]): Promise<unknown> => {
      const answer = await jsonInProcess([...command.split(' '), ...args], environment);
      const entries = await query<{ entry_id: string; text: string; about: string | null }>(
        service,
        `select entry_id, action || ': ' || subject as text, about_project as about from pathmend.audit_log
          where entry_id > $1 and who like 'command line%' and (about_project = $2 or project_name like 'audited%' or subject like $3)
          order by entry_id`,
        [last, id, `%${email}%`],
      );
      expect(entries.length, command).to.equal(1);
      last = entries[0]?.entry_id ?? last;
      expect(JSON.stringify(entries), command).not.to.match(/pm_(live|test)_/);
      seen.push(command);
      return answer;
    };
    const of = ['--project', id];
    await query(
      service,
      `insert into pathmend.rule_proposals (project_id, rule_key, path, target, source, support, contradictions, confidence,
                                            evidence, paths, requests, examples, proposed_at)
       select $1, decode(md5(p), 'hex') || decode(md5(p), 'hex'), p, '/new', 'clicks', 2, 0, 0.9, '[]', 1, 1, '[]', now()
         from unnest(array['/confirmed', '/rejected']) as p`,
      [id],
    );
    const made = (await run('project create', '--name', name)) as { id: string };
    await run('project update', '--project', name, '--access', 'restricted', '--plan', 'solo');
    await run('project delete', '--project', made.id, '--yes');
    const { key } = (await run('key create', ...of, '--mode', 'live', '--name', 'site')) as { key: string };
    const rotated = (await run('key rotate', '--key', key)) as { key: string };
    await run('key revoke', '--key', rotated.key);
    await run('redirects add', ...of, '--from', '/old', '--to', '/new', '--by', 'Ann');
    await run('redirects remove', ...of, '--from', '/old');
    const [latest] = await query<{ change_id: number }>(
      service,
      'select max(change_id) as change_id from pathmend.rule_changes where project_id = $1',
      [id],
    );
    await run('redirects undo', ...of, '--change', String(latest?.change_id));
    await run('redirects import', file, ...of);
    await run('redirects confirm', '/confirmed', ...of);
    await run('redirects reject', '/rejected', ...of);
    await run('watch set', ...of, '--alerts', 'dead_target');
    await run('user invite', '--email', email, '--role', 'viewer', ...of);
    await query(service, 'insert into pathmend.users (email) values ($1)', [email]);
    await run('user update', '--email', email, '--disabled', 'on');
    await run('user delete', '--email', email);
    const auditEntries = await query<{ who: string; text: string }>(
      service,
      `select who, action || ': ' || subject as text from pathmend.audit_log where about_project = any ($1) order by entry_id`,
      [[id, made.id]],
    );
    expect(auditEntries.map((entry) => `${entry.who}: ${entry.text}`)).to.include.members([
      'command line: project made: plan enterprise',
      `command line: key made: site (…${key.slice(-4)})`,
      'command line (Ann): rules changed: /old',
      'command line: redirects imported: 1 new, 0 changed, 0 gone',
      `command line: member invited: ${email} as viewer`,
    ]);
    expect([...seen, ...OTHERS].sort()).to.deep.equal((await allCommands()).sort());
  });

  it('nothing of what failed', async () => {
    const { service, database } = sharedService();
    const count = (): Promise<unknown> => query(service, 'select count(*) from pathmend.audit_log');
    const before = await count();
    for (const args of [
      ['key', 'revoke', '--key', randomUUID()],
      ['key', 'rotate', '--key', randomUUID()],
      ['user', 'delete', '--email', 'nobody@example.com'],
      ['project', 'create', '--name', ' '],
    ])
      expect((await runInProcess(args, database.environment)).code, args.join(' ')).to.equal(1);
    expect(await count()).to.deep.equal(before);
  });
});
