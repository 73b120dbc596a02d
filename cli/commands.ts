/**
 * The commands: their names, flags and examples, and what runs them.
 */
import type { z } from 'zod';
import { checkOptions, yargsOptions } from './flags.js';
import { DemoOptions, ImportOptions, InfoOptions, PackOptions, RenderOptions } from './options.js';
import { DiffOptions, LatencyOptions, ReportOptions, StacksOptions } from './question-options.js';
import { DoctorOptions, RecordOptions } from './recording-options.js';

interface CommandOf<Schema extends z.ZodObject> {
  readonly usage: string;
  readonly description: string;
  readonly examples: readonly (readonly [command: string, explanation: string])[];
  readonly schema: Schema;
  readonly positional: readonly string[];
  /** `toRun`: the command that follows a lone "--", of those that take one. */
  readonly run: (options: z.infer<Schema>, signal: AbortSignal, toRun: readonly string[] | null) => Promise<void>;
}

export interface Command extends Pick<CommandOf<z.ZodObject>, 'usage' | 'description' | 'examples' | 'positional'> {
  /** Its flags, as yargs wants them. */
  readonly flags: () => ReturnType<typeof yargsOptions>;
  /** Checks what yargs has read, and runs. */
  readonly run: (
    values: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    toRun: readonly string[] | null,
  ) => Promise<void>;
}

function command<Schema extends z.ZodObject>({ schema, run, ...about }: CommandOf<Schema>): Command {
  return {
    ...about,
    flags: () => yargsOptions(schema, about.positional),
    run: async (values, signal, toRun) => run(checkOptions(schema, values), signal, toRun),
  };
}

const RECORD = command({
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
});

const RENDER = command({
  usage: 'render <inputs..>',
  description:
    'a flame graph or folded stacks from a recording (perf.data, a pack) or its text (also .gz; - is standard input)',
  examples: [
    ['$0 render perf.data -o flame.svg', 'a flame graph, to be opened in a browser'],
    ['$0 render trace.txt -o out.folded -o flame.svg --icicle', 'both; callers on top'],
    ['perf script … | $0 render - > out.folded', 'in a pipe'],
    ['$0 render cpu*.txt.gz --by thread --annotate', 'several files, a root for each thread, with calls and averages'],
    ['$0 render trace.txt -o out.json', 'the whole profile, to be rendered in place of the trace'],
  ],
  schema: RenderOptions,
  positional: ['inputs'],
  run: async (options, signal) => (await import('./commands/render.js')).render(options, signal),
});

const REPORT = command({
  usage: 'report <inputs..>',
  description: 'the functions of a trace as a table: time, calls, averages and percentiles',
  examples: [
    ['$0 report perf.data --sort self --top 20', 'where the time goes'],
    ["$0 report trace.txt --match '^mem_' --threads", 'some functions, also thread by thread'],
    ["$0 report trace.txt --inside 'do_command#1ms,'", 'what slow calls of a function spend their time in'],
    ['$0 report trace.txt --json', 'for programs; --csv for spreadsheets'],
  ],
  schema: ReportOptions,
  positional: ['inputs'],
  run: async (options, signal) => (await import('./commands/questions.js')).report(options, signal),
});

const LATENCY = command({
  usage: 'latency <function> <inputs..>',
  description:
    'one function: how long its calls took, what they did, who called it, and what was different in the slowest',
  examples: [
    ['$0 latency do_command perf.data', 'distribution, children, callers and paths'],
    ['$0 latency do_command trace.txt --slowest 3', 'the longest calls beside the average one'],
    ['$0 latency do_command trace.txt --latency 1ms, --by-caller', 'only calls of 1 ms or more, for each caller'],
    ["$0 latency trx_commit trace.txt --inside 'do_command#10ms,'", 'its calls inside slow calls of another one'],
    ["$0 latency --regex '^lock_' trace.txt", 'several functions together'],
  ],
  schema: LatencyOptions,
  positional: ['function', 'inputs'],
  run: async (options, signal) => (await import('./commands/questions.js')).latency(options, signal),
});

const STACKS = command({
  usage: 'stacks <inputs..>',
  description: "every thread's stack at a moment: what ran, what waited, and since when",
  examples: [
    ['$0 stacks perf.data --at +10ms', '10 ms after the recording began'],
    ['$0 stacks trace.txt --at 858572.850211', "on perf's clock"],
  ],
  schema: StacksOptions,
  positional: ['inputs'],
  run: async (options, signal) => (await import('./commands/questions.js')).stacks(options, signal),
});

const DIFF = command({
  usage: 'diff <before> <after>',
  description: 'what changed from one trace or profile to another, function by function',
  examples: [
    ['$0 diff old.data new.data', 'by change of self time'],
    ['$0 diff old.json new.json --sort avg', 'functions whose calls take longer, or shorter'],
  ],
  schema: DiffOptions,
  positional: ['before', 'after'],
  run: async (options, signal) => (await import('./commands/questions.js')).diff(options, signal),
});

const IMPORT = command({
  usage: 'import <inputs..>',
  description: 'decode once, ask many times: a file that every command reads in place of the trace, much faster',
  examples: [
    ['$0 import perf.data -o trace.ptf', 'whatever render takes'],
    ['$0 render trace.ptf -o flame.svg', 'the same picture as of perf.data'],
  ],
  schema: ImportOptions,
  positional: ['inputs'],
  run: async (options, signal) => (await import('./commands/import.js')).importInputs(options, signal),
});

const INFO = command({
  usage: 'info <file>',
  description:
    'what a recording (perf.data, a pack) or an imported trace holds: machine, settings, losses, threads; nothing is decoded',
  examples: [['$0 info perf.data', 'what is in it, and what decoding it will cost']],
  schema: InfoOptions,
  positional: ['file'],
  run: async (options, signal) => (await import('./commands/info.js')).info(options, signal),
});

const PACK = command({
  usage: 'pack <recording>',
  description: 'a recording with all that decoding it needs on another machine, as one file',
  examples: [
    ['$0 pack perf.data -o trace.pack', 'where it was recorded'],
    ['$0 render trace.pack -o flame.svg', 'anywhere'],
  ],
  schema: PackOptions,
  positional: ['recording'],
  run: async (options, signal) => (await import('./commands/pack.js')).pack(options, signal),
});

const DOCTOR = command({
  usage: 'doctor',
  description: 'can this machine record? what to mend, with the command that mends it',
  examples: [
    ['$0 doctor', 'a line for each thing that recording needs'],
    ['$0 doctor --json', 'the same for programs'],
  ],
  schema: DoctorOptions,
  positional: [],
  run: async (options) => (await import('./commands/doctor.js')).doctor(options),
});

const DEMO = command({
  usage: 'demo',
  description: 'render the bundled trace: works on any machine, no perf needed',
  examples: [['$0 demo -o -', 'print it']],
  schema: DemoOptions,
  positional: [],
  run: async (options, signal) => (await import('./commands/demo.js')).demo(options, signal),
});

/** In the order in which help tells of them. */
export const COMMANDS: readonly Command[] = [
  RECORD,
  RENDER,
  REPORT,
  LATENCY,
  STACKS,
  DIFF,
  IMPORT,
  INFO,
  PACK,
  DOCTOR,
  DEMO,
];
