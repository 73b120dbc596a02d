#!/usr/bin/env node
/**
 * Arguments in, exit code out: 0 done, 1 the input or the machine is at fault, 2 usage, 130 interrupted.
 */
import yargs, { type Argv } from 'yargs';
import type { z } from 'zod';
import { visibleText as escapeForTerminal, PtflameError } from '../src/text.js';
import { argumentsForYargs, checkOptions, splitAtCommand, yargsOptions } from './flags.js';
import { listenToInterrupts } from './interrupts.js';
import { DemoOptions, RenderOptions } from './options.js';
import { DoctorOptions, RecordOptions } from './recording-options.js';
import { nearestWord } from './suggestions.js';
import { removeTemporaryFiles } from './temporary-files.js';
import { versionText } from './version.js';

const EXIT = { done: 0, fault: 1, usage: 2, interrupted: 130 } as const;

interface Command<Schema extends z.ZodObject> {
  readonly usage: string;
  readonly description: string;
  readonly examples: readonly (readonly [command: string, explanation: string])[];
  readonly schema: Schema;
  readonly positional: readonly string[];
  /** `toRun`: the command that follows a lone "--", of those that take one. */
  readonly run: (options: z.infer<Schema>, signal: AbortSignal, toRun: readonly string[] | null) => Promise<void>;
}

const RENDER: Command<typeof RenderOptions> = {
  usage: 'render <inputs..>',
  description: 'a flame graph or folded stacks from a trace: text of perf script, also .gz; - is standard input',
  examples: [
    ['$0 render trace.txt -o flame.svg', 'a flame graph, to be opened in a browser'],
    ['$0 render trace.txt -o out.folded -o flame.svg --icicle', 'both; callers on top'],
    ['perf script … | $0 render - > out.folded', 'in a pipe'],
    ['$0 render cpu*.txt.gz --by thread --annotate', 'several files, a root for each thread, with calls and averages'],
    ['$0 render trace.txt -o out.json', 'the whole profile, to be rendered in place of the trace'],
  ],
  schema: RenderOptions,
  positional: ['inputs'],
  run: async (options, signal) => (await import('./commands/render.js')).render(options, signal),
};

const DEMO: Command<typeof DemoOptions> = {
  usage: 'demo',
  description: 'render the bundled trace: works on any machine, no perf needed',
  examples: [['$0 demo -o -', 'print it']],
  schema: DemoOptions,
  positional: [],
  run: async (options, signal) => (await import('./commands/demo.js')).demo(options, signal),
};

const RECORD: Command<typeof RecordOptions> = {
  usage: 'record',
  description: 'record with Intel PT: a process, threads, CPUs, or a command behind --; Ctrl-C ends it and keeps it',
  examples: [
    ['$0 record -p 1234 -t 500ms', 'half a second of a process'],
    ['$0 record --render flame.svg -- ./program --its flags', 'a command from start to end, and its flame graph'],
    ['$0 record -C 0-3 --kernel -o all.data', 'four CPUs, with the kernel'],
    ['$0 record -p 1234 --only parse --binary ./server', 'only the code of that function'],
    ['$0 record -p 1234 --snapshot --trigger signal', 'the moments before each kill -USR2'],
    ['$0 record -p 1234 --dry-run', 'print the commands, run nothing'],
  ],
  schema: RecordOptions,
  positional: [],
  run: async (options, signal, toRun) => (await import('./commands/record.js')).record(options, toRun, signal),
};

const DOCTOR: Command<typeof DoctorOptions> = {
  usage: 'doctor',
  description: 'can this machine record? what to mend, with the command that mends it',
  examples: [
    ['$0 doctor', 'a line for each thing that recording needs'],
    ['$0 doctor --json', 'the same for programs'],
  ],
  schema: DoctorOptions,
  positional: [],
  run: async (options) => (await import('./commands/doctor.js')).doctor(options),
};

/** All that can be mistyped. */
const KNOWN_WORDS = [
  ...['record', 'render', 'doctor', 'demo', 'completion', '--help', '--version'],
  ...[RECORD, RENDER, DOCTOR, DEMO]
    .flatMap(({ schema, positional }) => Object.keys(yargsOptions(schema, positional)))
    .map((name) => `--${name}`),
];

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

function addCommand<Schema extends z.ZodObject>(
  cli: Argv,
  command: Command<Schema>,
  toRun: readonly string[] | null = null,
): Argv {
  const build = (argv: Argv) =>
    argv
      .string(command.positional) // not numbers: a file may be called 12
      .options(yargsOptions(command.schema, command.positional))
      .example(command.examples as [string, string][]);
  return cli.command(command.usage, command.description, build, (values) => {
    throw new Chosen(async (signal) => command.run(checkOptions(command.schema, values), signal, toRun));
  });
}

function buildCli(version: string, toRun: readonly string[] | null): Argv {
  let cli = yargs()
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
  cli = addCommand(cli, RECORD, toRun);
  cli = addCommand(cli, RENDER);
  cli = addCommand(cli, DOCTOR);
  return addCommand(cli, DEMO);
}

/** yargs' own words, and what was probably meant. */
function usageError(message: string): PtflameError {
  const [, words = ''] = /^Unknown (?:arguments?|commands?): (.*)$/.exec(message) ?? [];
  const nearest = words.split(', ').map((word) => nearestWord(word, KNOWN_WORDS));
  const meant = nearest.filter((word) => word !== null).join(', ');
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

/** Says what went wrong, in one message; returns the exit code. */
function report(error: unknown): number {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.done; // the reader went away: `| head`
  if (!(error instanceof PtflameError)) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.fault;
  }
  const lines = [`ptflame: ${error.message}`, `  ${error.hint}`, ...error.said.map((line) => `  | ${line}`)];
  process.stderr.write(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''));
  if (error.code === 'INTERRUPTED') return EXIT.interrupted;
  return error.code === 'BAD_OPTION' ? EXIT.usage : EXIT.fault;
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
  process.stdout.on('error', () => {}); // it reaches us through the write that failed
  process.stderr.on('error', () => {}); // there is nobody left to tell
  try {
    const interrupted = interruption(interrupt);
    await Promise.race([runCommand(process.argv.slice(2), interrupt.signal), interrupted]);
    return EXIT.done;
  } catch (error) {
    return interrupt.signal.aborted ? EXIT.interrupted : report(error);
  } finally {
    removeTemporaryFiles();
  }
}

const exitCode = await main();
if (exitCode !== EXIT.done) process.exit(exitCode); // standard input may still be open
