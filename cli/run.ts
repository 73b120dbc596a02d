/**
 * Parses the arguments and runs the command.
 */
import { PROGRAM } from './commands.js';
import { parseInvocation } from './usage/invocation.js';

/** @throws PtflameError BAD_OPTION for invalid arguments; whatever the command throws */
export async function run(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const invocation = parseInvocation(argv, PROGRAM.commands);
  if (invocation.kind === 'version') return (await import('./commands/self-description.js')).version();
  if (invocation.kind === 'help')
    return (await import('./commands/self-description.js')).help(invocation.command, { man: false }, PROGRAM);
  const { command, values, recordedCommand } = invocation;
  if (values['noColor'] === true) process.env['NO_COLOR'] = '1';
  await command.run(values, signal, recordedCommand);
}
