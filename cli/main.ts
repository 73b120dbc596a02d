/**
 * Arguments in, exit code out: 0 done, 1 the input or the machine is at fault, 2 usage, 130 interrupted.
 */
import yargs, { type Argv } from 'yargs';
import { PtflameError } from '../src/text.js';
import { COMMANDS, type Command } from './commands.js';
import { argumentsForYargs, splitAtCommand } from './flags.js';
import { listenToInterrupts } from './interrupts.js';
import { closeLastDoor, EXIT, exitCodeOfDone, openLastDoor, report } from './last-door.js';
import { nearestWord } from './suggestions.js';
import { removeTemporaryFiles } from './temporary-files.js';
import { versionText } from './version.js';

/** All that can be mistyped: behind a command its flags, before it everything. */
function knownWords(word: string | undefined): string[] {
  const nameOf = ({ usage }: Command) => usage.split(' ', 1)[0] as string;
  const chosen = COMMANDS.filter((command) => nameOf(command) === word);
  const names = chosen.length > 0 ? [] : [...COMMANDS.map(nameOf), 'completion'];
  const flags = (chosen.length > 0 ? chosen : COMMANDS).flatMap((command) => Object.keys(command.flags()));
  return [...names, '--help', '--version', ...flags.map((name) => `--${name}`)];
}

/**
 * The command that yargs found. It is thrown, and runs when yargs is done: behind a handler that returns, yargs words all of
 * the command's help, in case it will be needed, and that takes longer than a small trace.
 */
class Chosen {
  readonly run: (signal: AbortSignal) => Promise<void>;

  constructor(run: (signal: AbortSignal) => Promise<void>) {
    this.run = run;
  }
}

function addCommand(cli: Argv, command: Command, toRun: readonly string[] | null): Argv {
  const build = (argv: Argv) =>
    argv
      .string(command.positional) // not numbers: a file may be called 12
      .options(command.flags())
      .example(command.examples as [string, string][]);
  return cli.command(command.usage, command.description, build, (values) => {
    throw new Chosen((signal) => command.run(values, signal, toRun));
  });
}

function buildCli(version: string, toRun: readonly string[] | null): Argv {
  const cli = yargs()
    .scriptName('ptflame')
    .usage('$0: wall-clock flame graphs from Intel Processor Trace')
    .version(version)
    .alias({ help: 'h', version: 'v' })
    .parserConfiguration({
      'greedy-arrays': false,
      'duplicate-arguments-array': true, // without it only the last input and the last -o would be seen
      'camel-case-expansion': true,
      'boolean-negation': false,
    })
    .strict()
    .demandCommand(1, 'which command?')
    .completion('completion', 'print a script that completes commands and flags in bash or zsh')
    .wrap(Math.min(100, process.stdout.columns ?? 100))
    .exitProcess(false)
    .fail((message, error) => {
      // yargs' own complaints are usage errors; faults of ours pass through
      throw error && error.name !== 'YError' ? error : usageError(oneLine(message ?? error.message));
    });
  return COMMANDS.reduce((all, command) => addCommand(all, command, toRun), cli);
}

/** yargs' own words, and what was probably meant. */
function usageError(message: string): PtflameError {
  const [, words = ''] = /^Unknown (?:arguments?|commands?): (.*)$/.exec(message) ?? [];
  const known = knownWords(process.argv[2]);
  const nearest = words.split(', ').map((word) => nearestWord(word, known));
  const meant = [...new Set(nearest)].filter((word) => word !== null).join(', ');
  if (meant === '' && words !== '' && !words.startsWith('-') && process.argv[2] === 'record')
    return new PtflameError('BAD_OPTION', message, { hint: `a command comes behind --: ptflame record -- ${words} …` });
  const hint = meant === '' ? 'see ptflame --help' : `did you mean ${meant}? See ptflame --help`;
  return new PtflameError('BAD_OPTION', message, { hint });
}

/** yargs breaks its longer messages into lines. */
function oneLine(message: string): string {
  return message.trim().replace(/\s*\n\s*/g, ' ');
}

/** null if yargs has given what was asked for: help, the version, completion. */
async function chosenCommand(argv: readonly string[]): Promise<Chosen | null> {
  const { ours, toRun } = splitAtCommand(argv);
  const version = asksForVersion(ours) ? await versionText() : '';
  try {
    await buildCli(version, toRun).parseAsync(argumentsForYargs(ours));
    return null;
  } catch (thrown) {
    if (thrown instanceof Chosen) return thrown;
    throw thrown;
  }
}

function asksForVersion(argv: readonly string[]): boolean {
  return argv.some((argument) => argument === '--version' || argument === '-v');
}

/** Rejects when the user or the machine wants us to stop, even while we wait for an input that stays silent. */
function interruption(interrupt: AbortController): Promise<never> {
  return new Promise((_, reject) => {
    listenToInterrupts(() => {
      interrupt.abort();
      reject(interrupt.signal.reason);
    });
  });
}

async function runCommand(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const command = await chosenCommand(argv);
  await command?.run(signal);
}

async function main(): Promise<number> {
  const interrupt = new AbortController();
  openLastDoor();
  try {
    const interrupted = interruption(interrupt);
    await Promise.race([runCommand(process.argv.slice(2), interrupt.signal), interrupted]);
    return await exitCodeOfDone();
  } catch (error) {
    return interrupt.signal.aborted ? EXIT.interrupted : report(error);
  } finally {
    removeTemporaryFiles();
    closeLastDoor();
  }
}

const exitCode = await main();
if (exitCode !== EXIT.done) process.exit(exitCode); // standard input may still be open
