/**
 * Arguments in, the command that they ask for done.
 */
import { PROGRAM } from './commands.js';
import { invocationOf } from './usage/invocation.js';

/** @throws what the command throws; BAD_OPTION for arguments that ask for nothing */
export async function run(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const asked = invocationOf(argv, PROGRAM.commands);
  if (asked.kind === 'version') return (await import('./commands/version.js')).version();
  if (asked.kind === 'help') return (await import('./commands/help.js')).help(asked.command, { man: false }, PROGRAM);
  const { command, values, toRun } = asked;
  if (values['noColor'] === true) process.env['NO_COLOR'] = '1';
  await command.run(values, signal, toRun);
}
