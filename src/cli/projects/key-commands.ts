import { Option, type Command } from 'commander';
import { systemClock } from '../../base/clock.js';
import { onCommandLine } from '../../accounts/actor.js';
import { hashKey, isWellFormedKey } from '../../projects/api-key.js';
import { endKey, makeKey, rotateKey } from '../../projects/keys.js';
import { listKeys, type KeyRow } from '../../projects/store/keys.js';
import { OperatorError } from '../../base/errors.js';
import { SCOPES, type KeyMode, type Scope } from '../../base/glossary.js';
import { parseDuration, table, type CommandContext } from '../shared/context.js';
import { databaseCommand, projectCommand } from '../shared/project-command.js';

interface CreateOptions {
  mode: KeyMode;
  name?: string;
  scopes: string;
  expiresIn?: string;
}

export function addKeyCommands(program: Command, context: CommandContext): void {
  const group = program.command('key');

  projectCommand<CreateOptions>(group, context, 'create', {
    description: 'make a key; it is shown this once',
    takes: (command) =>
      command
        .addOption(
          new Option('--mode <mode>', 'test: left out of analytics').choices(['live', 'test']).makeOptionMandatory(),
        )
        .option('--name <name>', 'what you call it, 1 to 100 characters')
        .option('--scopes <scopes>', 'read, write, rules, or several with commas', 'read,write')
        .option('--expires-in <duration>', 'such as 90d, 12h, 30m, 45s; never, if not given'),
    run: async ({ db, options, project, say }) => {
      const made = await makeKey(db, onCommandLine(), project, {
        name: options.name ?? null,
        mode: options.mode,
        scopes: parseScopes(options.scopes),
        expiresAt: computeExpiry(options.expiresIn),
      });
      const value = { key: made.key, ...describe(made.row) };
      say(value, () => `${value.key}\n\nKeep it now: only its hash is stored. Its id is ${value.id}.`);
    },
  });

  projectCommand(group, context, 'list', {
    description: 'the keys of a project, without the keys themselves',
    run: async ({ db, project, say }) => {
      const keys = (await listKeys(db, project.project_id)).map(describe);
      say(keys, () =>
        table([
          ['ID', 'NAME', 'ENDS IN', 'MODE', 'SCOPES', 'STATE', 'LAST USED'],
          ...keys.map((key) => [
            key.id,
            key.name ?? '',
            `…${key.ending}`,
            key.mode,
            key.scopes.join(','),
            findState(key),
            key.last_used_at ?? 'never',
          ]),
        ]),
      );
    },
  });

  databaseCommand<{ key: string; overlap: string; expiresIn?: string }>(group, context, 'rotate', {
    description: 'make a key in the place of another; both work for a while',
    takes: (command) =>
      command
        .requiredOption('--key <key|id>', 'the key itself, or its id')
        .option('--overlap <duration>', 'how long the old one goes on working', '24h')
        .option('--expires-in <duration>', 'of the new one; never, if not given'),
    run: async ({ db, options, say }) => {
      const overlap = parseDuration(options.overlap, '--overlap');
      const expiry = computeExpiry(options.expiresIn);
      const rotated = await rotateKey(db, onCommandLine(), parseKeyOrId(options.key), overlap, expiry);
      if (!rotated) throw new OperatorError('There is no such key, or it was revoked or has expired.');
      const old = { id: rotated.old.key_id, expires_at: rotated.oldExpiresAt.toISOString() };
      say(
        { key: rotated.key, ...describe(rotated.row), replaces: old },
        () =>
          `${rotated.key}\n\nKeep it now: only its hash is stored. The key …${rotated.old.ending} works until ${old.expires_at}.`,
      );
    },
  });

  databaseCommand<{ key: string }>(group, context, 'revoke', {
    description: 'end a key at once',
    takes: (command) => command.requiredOption('--key <key|id>', 'the key itself, or its id'),
    run: async ({ db, options, say }) => {
      const row = await endKey(db, onCommandLine(), parseKeyOrId(options.key));
      if (!row) throw new OperatorError('There is no such key.');
      say(describe(row), () => `The key …${row.ending} is revoked.`);
    },
  });
}

function parseKeyOrId(text: string): { hash: Buffer } | { id: string } {
  return isWellFormedKey(text) ? { hash: hashKey(text) } : { id: text };
}

function computeExpiry(lifetime: string | undefined): Date | null {
  return lifetime === undefined ? null : new Date(systemClock.now() + parseDuration(lifetime, '--expires-in'));
}

function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  const known = SCOPES.filter((scope) => scopes.includes(scope));
  if (known.length === 0 || known.length !== new Set(scopes).size)
    throw new OperatorError(
      `--scopes must be of ${SCOPES.join(', ')}, with commas between; not ${JSON.stringify(text)}.`,
    );
  return known;
}

function describe(row: KeyRow) {
  const { key_id: id, project_id, ending, name, mode, scopes, created_at, expires_at, revoked_at, last_used_at } = row;
  const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
  const ends = { expires_at: iso(expires_at), revoked_at: iso(revoked_at), last_used_at: iso(last_used_at) };
  return { id, project_id, ending, name, mode, scopes, created_at: created_at.toISOString(), ...ends };
}

function findState(key: ReturnType<typeof describe>): string {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && Date.parse(key.expires_at) <= systemClock.now() ? 'expired' : 'valid';
}
