/**
 * The commands: their names, arguments, options and examples, and what runs them.
 */

import { CompletionOptions, SHELLS } from './options/completion.js';
import { DemoOptions } from './options/demo.js';
import { DiffOptions } from './options/diff.js';
import { DoctorOptions } from './options/doctor.js';
import { HelpOptions } from './options/help.js';
import { ImportOptions } from './options/import.js';
import { InfoOptions } from './options/info.js';
import { LatencyOptions, patternOf } from './options/latency.js';
import { PackOptions } from './options/pack.js';
import { RecordOptions } from './options/record.js';
import { RenderOptions } from './options/render.js';
import { ReportOptions } from './options/report.js';
import { StacksOptions } from './options/stacks.js';
import { answerFormat, outputFormats } from './output/formats.js';
import type { Argument, Command, Program } from './usage/command.js';
import { command } from './usage/define.js';
import { EXIT_TEXTS } from './usage/exit-codes.js';
import { unknownCommand } from './usage/usage-errors.js';

const TEXT = 'text of perf script, also compressed (.gz); - is standard input; several are one recording';
/** What has the calls themselves. */
const TRACES: Argument = {
  property: 'inputs',
  word: 'INPUT',
  description: `a recording (perf.data), a pack, an imported trace (.ptf), or ${TEXT}`,
  isMany: true,
  isFile: true,
};
const INPUTS: Argument = {
  ...TRACES,
  description: `a recording (perf.data), a pack, an imported trace (.ptf), a JSON profile, or ${TEXT}`,
};

const DOCTOR = command({
  name: 'doctor',
  task: 'Record',
  summary: 'check whether this machine can record, and what to fix',
  examples: [
    ['ptflame doctor', 'a line for each thing that recording needs'],
    ['ptflame doctor --json', 'the same, for programs'],
  ],
  schema: DoctorOptions,
  run: async (options) => (await import('./commands/doctor.js')).doctor(options),
});

const RECORD = command({
  name: 'record',
  task: 'Record',
  summary: 'record a process, threads, CPUs or a command with Intel PT',
  details: 'Ctrl-C stops the recording and keeps it; a second one discards it.',
  examples: [
    ['ptflame record -p 1234 -t 500ms', 'half a second of a process'],
    ['ptflame record --render flame.html -- ./program --its flags', 'a command from start to end, and its flame graph'],
    ['ptflame record -C 0-3 --kernel -o all.data', 'four CPUs, with the kernel'],
    ['ptflame record -p 1234 --only parse --binary ./server', 'only the code of that function'],
    ['ptflame record -p 1234 --snapshot --trigger signal', 'the moments before each kill -USR2'],
    ['ptflame record -p 1234 --dry-run', 'print the commands, run nothing'],
  ],
  schema: RecordOptions,
  runsCommand: true,
  run: async (options, signal, toRun) => {
    outputFormats({ output: options.render }); // what cannot be drawn is refused before anything is recorded
    const recording = await (await import('./commands/record.js')).record(options, toRun);
    const { render: output, perf, quiet } = options;
    if (recording !== null && output) await RENDER.run({ inputs: [recording], output, perf, quiet }, signal, null);
  },
});

const RENDER = command({
  name: 'render',
  task: 'Look',
  summary: 'draw a flame graph, or write folded stacks or a profile',
  examples: [
    ['ptflame render perf.data -o flame.html', 'an interactive report, to open in a browser'],
    ['ptflame render trace.txt -o out.folded -o flame.svg --icicle', 'folded stacks and a picture, callers on top'],
    ['perf script … | ptflame render - > out.folded', 'in a pipe'],
    ['ptflame render cpu*.txt.gz --by thread -o threads.svg', 'several files, a root frame for each thread'],
    ['ptflame render trace.txt -o out.json', 'the whole profile; render it again in place of the trace'],
  ],
  arguments: [INPUTS],
  schema: RenderOptions,
  formats: outputFormats,
  run: async (options, signal) =>
    (await import('./commands/render.js')).render(options, outputFormats(options), signal),
});

const REPORT = command({
  name: 'report',
  task: 'Ask',
  summary: 'list functions: time, calls, averages, percentiles',
  examples: [
    ['ptflame report perf.data --sort self --top 20', 'where the time goes'],
    ["ptflame report trace.txt --match '^mem_' --threads", 'some functions, also thread by thread'],
    ["ptflame report trace.txt --inside 'do_command#1ms,'", 'where slow calls of a function spend their time'],
    ['ptflame report trace.txt --json', 'for programs; --csv for spreadsheets'],
  ],
  arguments: [INPUTS],
  schema: ReportOptions,
  run: async (options, signal) => (await import('./commands/questions.js')).report(options, signal),
});

const LATENCY = command({
  name: 'latency',
  task: 'Ask',
  summary: 'explain one function: how long its calls took, and why',
  details:
    'Shows the distribution of its durations, what its calls did, who called it, and what was different in the slowest.',
  examples: [
    ['ptflame latency do_command perf.data', 'distribution, callees, callers and paths'],
    ['ptflame latency do_command trace.txt --slowest 3', 'the longest calls beside the average one'],
    ['ptflame latency do_command trace.txt --latency 1ms, --by-caller', 'only calls of 1 ms or more, for each caller'],
    ["ptflame latency trx_commit trace.txt --inside 'do_command#10ms,'", 'its calls inside slow calls of another one'],
    ["ptflame latency --regex '^lock_' trace.txt", 'several functions together'],
  ],
  arguments: [
    { property: 'function', word: 'FUNCTION', description: 'a whole name, or /a regular expression/' },
    TRACES,
  ],
  schema: LatencyOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) =>
    (await import('./commands/questions.js')).latency(options, patternOf(options), signal),
});

const STACKS = command({
  name: 'stacks',
  task: 'Ask',
  summary: "show every thread's stack at one moment",
  details: 'Shows what ran, what waited, and since when.',
  examples: [
    ['ptflame stacks perf.data --at +10ms', '10 ms after the recording began'],
    ['ptflame stacks trace.txt --at 858572.850211', "on perf's clock"],
  ],
  arguments: [TRACES],
  schema: StacksOptions,
  run: async (options, signal) => (await import('./commands/questions.js')).stacks(options, signal),
});

const DIFF = command({
  name: 'diff',
  task: 'Ask',
  summary: 'compare two traces or profiles, function by function',
  examples: [
    ['ptflame diff old.data new.data', 'by change of self time'],
    ['ptflame diff old.json new.json --sort avg', 'functions whose calls take longer, or shorter'],
  ],
  arguments: [
    {
      property: 'before',
      word: 'BEFORE',
      description: 'one trace or profile, of any kind that render takes',
      isFile: true,
    },
    { property: 'after', word: 'AFTER', description: 'the other', isFile: true },
  ],
  schema: DiffOptions,
  formats: (options) => [answerFormat(options)],
  run: async (options, signal) => (await import('./commands/questions.js')).diff(options, signal),
});

const IMPORT = command({
  name: 'import',
  task: 'Keep and move',
  summary: 'decode once into a file that every command reads much faster',
  examples: [
    ['ptflame import perf.data -o trace.ptf', 'takes whatever render takes'],
    ['ptflame render trace.ptf -o flame.html', 'the same picture as of perf.data'],
  ],
  arguments: [TRACES],
  schema: ImportOptions,
  run: async (options, signal) => (await import('./commands/import.js')).importInputs(options, signal),
});

const INFO = command({
  name: 'info',
  task: 'Keep and move',
  summary: 'tell what a recording or imported trace holds, undecoded',
  examples: [['ptflame info perf.data', 'machine, settings, losses, threads, and what decoding will cost']],
  arguments: [
    {
      property: 'file',
      word: 'FILE',
      description: 'a recording (perf.data), a pack or an imported trace',
      isFile: true,
    },
  ],
  schema: InfoOptions,
  run: async (options, signal) => (await import('./commands/info.js')).info(options, signal),
});

const PACK = command({
  name: 'pack',
  task: 'Keep and move',
  summary: 'put a recording and what decoding it needs into one file',
  details: 'The pack can be rendered on another machine, which needs perf but neither Intel PT nor the programs.',
  examples: [
    ['ptflame pack perf.data -o trace.pack', 'where it was recorded'],
    ['ptflame render trace.pack -o flame.html', 'anywhere'],
  ],
  arguments: [{ property: 'recording', word: 'RECORDING', description: 'a perf.data', isFile: true }],
  schema: PackOptions,
  run: async (options, signal) => (await import('./commands/pack.js')).pack(options, signal),
});

const DEMO = command({
  name: 'demo',
  task: 'Look',
  summary: 'draw the bundled trace; works on any machine, needs no perf',
  examples: [
    ['ptflame demo', 'write flame.html'],
    ['ptflame demo -o -', 'print its folded stacks'],
  ],
  schema: DemoOptions,
  run: async ({ output = ['flame.html'], ...general }, signal) => {
    const options = RenderOptions.parse({ inputs: ['the bundled trace'], output, annotate: true, ...general });
    await (await import('./commands/demo.js')).demo(options, outputFormats(options), signal);
  },
});

const HELP = command({
  name: 'help',
  task: 'Help',
  summary: 'explain ptflame or one of its commands',
  examples: [
    ['ptflame help render', 'the same as ptflame render --help'],
    ['ptflame help --man | man -l -', 'the man page'],
  ],
  arguments: [{ property: 'command', word: 'COMMAND', description: 'what to explain', isOptional: true }],
  schema: HelpOptions,
  run: async ({ command: name, man }) => {
    const command = COMMANDS.find((each) => each.name === name) ?? null;
    if (name !== undefined && command === null) throw unknownCommand(name, COMMANDS, false);
    (await import('./commands/self-description.js')).help(command, { man }, PROGRAM);
  },
});

const COMPLETION = command({
  name: 'completion',
  task: 'Help',
  summary: 'print a script for shell completion',
  examples: [
    ['source <(ptflame completion bash)', 'in ~/.bashrc'],
    ['source <(ptflame completion zsh)', 'in ~/.zshrc, behind compinit'],
    ['ptflame completion fish > ~/.config/fish/completions/ptflame.fish', 'once'],
  ],
  arguments: [
    {
      property: 'shell',
      word: 'SHELL',
      description: 'bash, zsh or fish (default: the one that $SHELL names, else bash)',
      isOptional: true,
      choices: SHELLS,
    },
  ],
  schema: CompletionOptions,
  run: async (options) => (await import('./commands/self-description.js')).completion(options, COMMANDS),
});

/** In the order in which help lists the commands of a task. */
const COMMANDS: readonly Command[] = [
  DEMO,
  DOCTOR,
  RECORD,
  RENDER,
  REPORT,
  LATENCY,
  STACKS,
  DIFF,
  IMPORT,
  PACK,
  INFO,
  HELP,
  COMPLETION,
];

export const PROGRAM: Program = { commands: COMMANDS, exitCodes: EXIT_TEXTS };
