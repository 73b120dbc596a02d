/**
 * Parses the arguments and runs the command.
 */

import { PTFLAME_VERSION } from '../src/model/version.js';
import { PROGRAM } from './program.js';
import { notify } from './terminal/notify.js';
import { type Invocation, parseInvocation } from './usage/invocation.js';

/**
 * Returns the name of the command that ran.
 *
 * @throws PtflameError BAD_OPTION for invalid arguments; whatever the command throws
 */
export async function run(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const invocation = await parseInvocation(argv, PROGRAM.commands);
  if (invocation.kind !== 'run') {
    await describe(invocation);
    return 'help';
  }
  const { command, values, notes, recordedCommand } = invocation;
  if (values['noColor'] === true) process.env['NO_COLOR'] = '1';
  if (values['quiet'] !== true) for (const note of notes) notify(`note: ${note}`);
  await command.run(values, signal, { recordedCommand, program: PROGRAM });
  return command.name;
}

async function describe(invocation: Exclude<Invocation, { kind: 'run' }>): Promise<void> {
  if (invocation.kind === 'version') return version();
  return (await import('./commands/help.js')).help(
    invocation.command,
    { man: false, isComplete: invocation.isComplete },
    PROGRAM,
  );
}

/**
 * `ptflame --version`: prints the versions of ptflame, Node.js and perf.
 *
 * Prints "0.1.0 (Node 20.20.2, perf 6.1.0)". Starts perf, which takes a moment.
 */
async function version(): Promise<void> {
  process.stdout.write(`${PTFLAME_VERSION} (Node ${process.versions.node}, ${await perfText()})\n`);
}

async function perfText(): Promise<string> {
  const { perfVersion } = await import('./record/machine/version.js');
  return perfVersion('perf').then(
    ({ text }) => `perf ${text}`,
    () => 'no perf',
  );
}
