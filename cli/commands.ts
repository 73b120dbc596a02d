/**
 * Defines the commands: names, arguments, options, examples, and the functions that run them.
 */

import { CompletionOptions, SHELLS } from './options/completion.js';
import { DemoOptions } from './options/demo.js';
import { DiffOptions } from './options/diff.js';
import { DoctorOptions } from './options/doctor.js';
import { HelpOptions } from './options/help.js';
import { ImportOptions } from './options/import.js';
import { InfoOptions } from './options/info.js';
import { LatencyOptions, latencyPattern } from './options/latency.js';
import { LocksOptions } from './options/locks.js';
import { PackOptions } from './options/pack.js';
import { RecordOptions } from './options/record.js';
import { RenderOptions } from './options/render.js';
import { ReportOptions } from './options/report.js';
import { RequestsOptions, requestsPattern } from './options/requests.js';
import { StacksOptions } from './options/stacks.js';
import { WaitsOptions } from './options/waits.js';
import { answerFormat, outputFormats } from './output/formats.js';
import type { Argument, Command, Program } from './usage/command.js';
import { defineCommand } from './usage/define-command.js';
import { EXIT_MEANINGS } from './usage/exit-codes.js';
import { unknownCommand } from './usage/usage-errors.js';

const TEXT = 'text of perf script, also compressed (.gz); - is standard input; several make up one trace';
/** Inputs that contain single calls. */
const TRACES: Argument = {
  property: 'inputs',
  placeholder: 'INPUT',
  description: `a recording (perf.data), a pack, an imported trace (.ptf), or ${TEXT}`,
  isMany: true,
  isFile: true,
};
const INPUTS: Argument = {
  ...TRACES,
  description: `a recording (perf.data), a pack, an imported trace (.ptf), a JSON profile, or ${TEXT}`,
};

const DOCTOR = defineCommand({
  name: 'doctor',
  task: 'Record',
  summary: 'check whether this machine can record, and what to fix',
  examples: [
    ['ptflame doctor', 'one line for each requirement'],
    ['ptflame doctor --json', 'the same, for programs'],
  ],
  schema: DoctorOptions,
  run: async (options) => (await import('./commands/doctor.js')).doctor(options),
});

const RECORD = defineCommand({
  name: 'record',
  task: 'Record',
  summary: 'record a process, threads, CPUs or a command with Intel PT',
  details: 'Ctrl-C stops the recording and keeps it; a second Ctrl-C discards it.',
  examples: [
    ['ptflame record -p 1234 -t 500ms', 'half a second of a process'],
    ['ptflame record --render flame.html -- ./program --its flags', 'a command from start to end, and its flame graph'],
    ['ptflame record -C 0-3 --kernel -o all.data', 'four CPUs, with the kernel'],
    ['ptflame record -p 1234 --only parse --binary ./server', 'only the code of one function'],
    ['ptflame record -p 1234 --snapshot --trigger signal', 'the time before each kill -USR2'],
    ['ptflame record -p 1234 --waits', 'also who waits for whom'],
    ['ptflame record -p 1234 --waits --no-trace -t 10s', 'the same alone, without Intel PT: on any CPU'],
    ['ptflame record -p 1234 --dry-run', 'print the commands without running them'],
  ],
  schema: RecordOptions,
  runsCommand: true,
  run: async (options, signal, recordedCommand) => {
    outputFormats({ output: options.render }); // refuses unknown formats before anything is recorded
    const recording = await (await import('./commands/record.js')).record(options, recordedCommand);
    const { render: output, perf, quiet } = options;
    if (recording !== null && output) await RENDER.run({ inputs: [recording], output, perf, quiet }, signal, null);
  },
});

const RENDER = defineCommand({
  name: 'render',
  task: 'Draw',
  summary: 'draw a flame graph, or write folded stacks or a profile',
  examples: [
    ['ptflame render perf.data -o flame.html', 'an interactive report for the browser'],
    [
      'ptflame render trace.txt -o out.folded -o flame.svg --icicle',
      'folded stacks, and a picture with callers on top',
    ],
    ['perf script … | ptflame render - > out.folded', 'in a pipe'],
    ['ptflame render cpu*.txt.gz --by thread -o threads.svg', 'several files, with a root frame per thread'],
    ['ptflame render trace.txt -o out.json', 'the complete profile, which can be rendered instead of the trace'],
  ],
  arguments: [INPUTS],
  schema: RenderOptions,
  formats: outputFormats,
  run: async (options, signal) =>
    (await import('./commands/render.js')).render(options, outputFormats(options), signal),
});

const REPORT = defineCommand({
  name: 'report',
  task: 'Analyze',
  summary: 'list functions: time, calls, averages, percentiles',
  examples: [
    ['ptflame report perf.data --sort self --top 20', 'where the time goes'],
    ["ptflame report trace.txt --match '^mem_' --threads", 'some functions, also per thread'],
    ["ptflame report trace.txt --inside 'do_command#1ms,'", 'where slow calls of a function spend their time'],
    ['ptflame report trace.txt --json', 'for programs; --csv for spreadsheets'],
  ],
  arguments: [INPUTS],
  schema: ReportOptions,
  run: async (options, signal) => (await import('./commands/questions.js')).report(options, signal),
});

const LATENCY = defineCommand({
  name: 'latency',
  task: 'Analyze',
  summary: 'show how long the calls of a function took, and why',
  details: 'Shows the distribution of durations, callees, callers, and how the slowest calls differ.',
  examples: [
    ['ptflame latency do_command perf.data', 'distribution, callees, callers and paths'],
    ['ptflame latency do_command trace.txt --slowest 3', 'the longest calls, compared with the average'],
    ['ptflame latency do_command trace.txt --latency 1ms, --by-caller', 'only calls of at least 1 ms, by caller'],
    [
      "ptflame latency trx_commit trace.txt --inside 'do_command#10ms,'",
      'its calls inside slow calls of another function',
    ],
    ["ptflame latency --regex '^lock_' trace.txt", 'several functions together'],
  ],
  arguments: [
    { property: 'function', placeholder: 'FUNCTION', description: 'an exact name or /a regular expression/' },
    TRACES,
  ],
  schema: LatencyOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) =>
    (await import('./commands/questions.js')).latency(options, latencyPattern(options), signal),
});

const STACKS = defineCommand({
  name: 'stacks',
  task: 'Analyze',
  summary: "show every thread's stack at one moment",
  details: 'Shows what ran, what waited, and for how long.',
  examples: [
    ['ptflame stacks perf.data --at +10ms', '10 ms after the start of the recording'],
    ['ptflame stacks trace.txt --at 858572.850211', "on perf's clock"],
  ],
  arguments: [TRACES],
  schema: StacksOptions,
  run: async (options, signal) => (await import('./commands/questions.js')).stacks(options, signal),
});

const WAITS = defineCommand({
  name: 'waits',
  task: 'Analyze',
  summary: 'show why threads waited, where, and who woke them',
  details:
    'The input must be recorded with ptflame record --waits. Functions are known if it has an Intel PT trace, too.',
  examples: [
    ['ptflame waits perf.data', 'by reason, by waker, by place and by thread'],
    ['ptflame waits perf.data --slowest 3', 'what the longest waits consisted of: who did what meanwhile'],
    ['ptflame waits perf.data --in do_command --slowest 3', 'the same of calls of a function'],
    ['ptflame waits perf.data --points trx_commit,log_write,fsync', 'the stages of a commit'],
  ],
  arguments: [TRACES],
  schema: WaitsOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) => (await import('./commands/questions.js')).waits(options, signal),
});

const REQUESTS = defineCommand({
  name: 'requests',
  task: 'Analyze',
  summary: 'follow requests through threads: what each call of a function, and others for it, did',
  details: 'Shows where the time of typical and of slow requests goes, and all that happened in the slowest.',
  examples: [
    ['ptflame requests handle_request perf.data', 'distribution, and where the time goes'],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job --slowest 3',
      'with the work that was handed on by a queue, found by the argument job of two probes',
    ],
    ['ptflame requests do_command perf.data --slowest 1 --min 100us', 'the slowest one, without short calls'],
  ],
  arguments: [
    {
      property: 'function',
      placeholder: 'ROOT',
      description: 'each of its calls is a request: an exact name or /a regular expression/',
    },
    TRACES,
  ],
  schema: RequestsOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) =>
    (await import('./commands/questions.js')).requests(options, requestsPattern(options), signal),
});

const LOCKS = defineCommand({
  name: 'locks',
  task: 'Analyze',
  summary: 'show the locks that threads waited for, and who held them',
  details: 'Shows for each lock how long threads waited, who held it, and what the holders did meanwhile.',
  examples: [
    ['ptflame locks perf.data', 'by time waited; record with --waits'],
    ['ptflame locks perf.data --lock 0x55d0c0f0a0e0', 'one lock: all its holders and waiters'],
    ['ptflame locks perf.data --slowest 5', 'the longest waits, and for whom'],
  ],
  arguments: [TRACES],
  schema: LocksOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) => (await import('./commands/questions.js')).locks(options, signal),
});

const DIFF = defineCommand({
  name: 'diff',
  task: 'Analyze',
  summary: 'compare two traces or profiles, function by function',
  examples: [
    ['ptflame diff old.data new.data', 'by change of self time'],
    ['ptflame diff old.json new.json --sort avg', 'functions whose calls became slower or faster'],
  ],
  arguments: [
    {
      property: 'before',
      placeholder: 'BEFORE',
      description: 'a trace or profile, any INPUT of render',
      isFile: true,
    },
    { property: 'after', placeholder: 'AFTER', description: 'another one', isFile: true },
  ],
  schema: DiffOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) => (await import('./commands/questions.js')).diff(options, signal),
});

const IMPORT = defineCommand({
  name: 'import',
  task: 'Convert and inspect',
  summary: 'decode a trace once, into a file that is much faster to read',
  examples: [
    ['ptflame import perf.data -o trace.ptf', 'any trace that render reads'],
    ['ptflame render trace.ptf -o flame.html', 'the same picture as from perf.data'],
  ],
  arguments: [TRACES],
  schema: ImportOptions,
  run: async (options, signal) => (await import('./commands/import.js')).importInputs(options, signal),
});

const INFO = defineCommand({
  name: 'info',
  task: 'Convert and inspect',
  summary: 'describe a recording or imported trace without decoding it',
  examples: [['ptflame info perf.data', 'machine, settings, losses, threads, and the cost of decoding']],
  arguments: [
    {
      property: 'file',
      placeholder: 'FILE',
      description: 'a recording (perf.data), a pack or an imported trace',
      isFile: true,
    },
  ],
  schema: InfoOptions,
  run: async (options, signal) => (await import('./commands/info.js')).info(options, signal),
});

const PACK = defineCommand({
  name: 'pack',
  task: 'Convert and inspect',
  summary: 'pack a recording and the binaries that decoding needs into one file',
  details: 'The pack can be rendered on any machine, without Intel PT, perf or the binaries.',
  examples: [
    ['ptflame pack perf.data -o trace.pack', 'on the machine that recorded it'],
    ['ptflame render trace.pack -o flame.html', 'on any machine'],
  ],
  arguments: [
    { property: 'recording', placeholder: 'RECORDING', description: 'a recording (perf.data)', isFile: true },
  ],
  schema: PackOptions,
  run: async (options, signal) => (await import('./commands/pack.js')).pack(options, signal),
});

const DEMO = defineCommand({
  name: 'demo',
  task: 'Draw',
  summary: 'draw the bundled trace, on any machine, without perf',
  examples: [
    ['ptflame demo', 'write flame.html'],
    ['ptflame demo -o -', 'print its folded stacks'],
  ],
  schema: DemoOptions,
  run: async ({ output = ['flame.html'], ...general }, signal) => {
    const options = RenderOptions().parse({ inputs: ['the bundled trace'], output, annotate: true, ...general });
    await (await import('./commands/demo.js')).demo(options, outputFormats(options), signal);
  },
});

const HELP = defineCommand({
  name: 'help',
  task: 'Help',
  summary: 'explain ptflame or one of its commands',
  examples: [
    ['ptflame help render', 'the same as ptflame render --help'],
    ['ptflame help --man | man -l -', 'the man page'],
  ],
  arguments: [{ property: 'command', placeholder: 'COMMAND', description: 'a command', isOptional: true }],
  schema: HelpOptions,
  run: async ({ command: name, man }) => {
    const command = COMMANDS.find((each) => each.name === name) ?? null;
    if (name !== undefined && command === null) throw unknownCommand(name, COMMANDS, false);
    (await import('./commands/self-description.js')).help(command, { man }, PROGRAM);
  },
});

const COMPLETION = defineCommand({
  name: 'completion',
  task: 'Help',
  summary: 'print a script for shell completion',
  examples: [
    ['source <(ptflame completion bash)', 'in ~/.bashrc'],
    ['source <(ptflame completion zsh)', 'in ~/.zshrc, after compinit'],
    ['ptflame completion fish > ~/.config/fish/completions/ptflame.fish', 'once'],
  ],
  arguments: [
    {
      property: 'shell',
      placeholder: 'SHELL',
      description: 'bash, zsh or fish (default: by $SHELL, else bash)',
      isOptional: true,
      choices: SHELLS,
    },
  ],
  schema: CompletionOptions,
  run: async (options) => (await import('./commands/self-description.js')).completion(options, COMMANDS),
});

/** In help, commands of a task keep this order. */
const COMMANDS: readonly Command[] = [
  DEMO,
  DOCTOR,
  RECORD,
  RENDER,
  REPORT,
  LATENCY,
  STACKS,
  WAITS,
  REQUESTS,
  LOCKS,
  DIFF,
  IMPORT,
  PACK,
  INFO,
  HELP,
  COMPLETION,
];

export const PROGRAM: Program = { commands: COMMANDS, exitCodes: EXIT_MEANINGS };
