import type { Command } from 'commander';
import { examine } from '../operations/doctor/examine.js';
import type { Finding } from '../operations/doctor/finding.js';
import { OperatorError } from '../base/errors.js';
import { findEnvironment } from './shared/command-database.js';
import { print, table, type CommandContext } from './shared/context.js';

export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .option('--json', 'one JSON value on stdout')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine({ environment: await findEnvironment(context) });
      const problems = findings.filter(({ level }) => level === 'problem').length;
      print(context, options, { ok: problems === 0, findings }, () => render(findings));
      if (problems > 0)
        throw new OperatorError(problems === 1 ? 'There is a problem.' : `There are ${problems} problems.`);
    });
}

function render(findings: readonly Finding[]): string {
  return table(
    findings.flatMap(({ check, level, message, action }) => [
      [level, check, message],
      ...(action === undefined ? [] : [['', '', `→ ${action}`]]),
    ]),
  );
}
