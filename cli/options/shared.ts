/**
 * The flags and arguments that several commands share. The zod schema of each command defines its flags, help, types and checks.
 */
import * as z from 'zod';
import type { Argument } from '../usage/command.js';
import { flag, flagsOf, group } from '../usage/flag.js';
import { callPatterns, functionPattern, window } from './question-values.js';
import { bufferSize, byteSize, fileSize, numberList, path, regex } from './values.js';

/** Flags of every command, except `--help` and `--version`, which no command receives. */
export const general = () =>
  group('General', {
    quiet: flag(z.boolean().default(false), 'print results and errors only: no progress, no summary', { alias: 'q' }),
    noColor: flag(z.boolean().default(false), 'print without colour, like NO_COLOR=1'),
  });

/** `common`: what `--help` says, if not all of the description. */
export const outputs = (description: string, common: string | true = true) =>
  flag(z.array(path).optional(), description, {
    alias: 'o',
    value: 'FILE',
    common,
  });

export const resources = () =>
  group('Resources', {
    jobs: flag(
      z
        .number('must be a number')
        .int('must be a whole number')
        .min(1, 'must be 1 or more')
        .max(1024, 'must be 1024 or less')
        .optional(),
      'number of workers, and of perf processes that decode (default: one per CPU)',
      { alias: 'j' },
    ),
    memory: flag(byteSize.optional(), "memory limit, such as 512M or 8G (default: a quarter of the machine's)", {
      value: 'SIZE',
    }),
    tempDir: flag(path.optional(), 'directory for data that does not fit into memory', { value: 'DIR' }),
  });

export const maxFolded = (formats: readonly string[]) =>
  flag(
    fileSize.default(256 * 2 ** 20),
    `refuse to write more, such as 2G; 0: no limit (${formats.join(', ')}; default: 256M)`,
    { value: 'SIZE', formats },
  );

export const symfs = flag(path.optional(), 'recordings: look for binaries below DIR instead of /', {
  value: 'DIR',
  common: 'look for binaries below DIR instead of /',
});

/** For pages. */
export const source = (formats?: readonly string[]) =>
  flag(
    path.optional(),
    `show which lines calls are on, with the text of source files in DIR, from the debug information of the binaries${formats ? ` (${formats.join(', ')})` : ''}`,
    { value: 'DIR', ...(formats && { formats }) },
  );

export const decoding = () =>
  group('Input', {
    decoder: flag(
      z.enum(['auto', 'own', 'perf']).default('auto'),
      'recordings: what decodes them; own: ptflame itself; auto: perf only what ptflame does not know (docs/decoder.md)',
    ),
    precise: flag(z.boolean().default(false), 'recordings: decode every branch, also jumps within functions; slower'),
    noJumps: flag(
      z.boolean().default(false),
      'recordings: decode calls and returns alone, without jumps between functions, as perf does without --precise',
    ),
    symfs,
    debuginfod: flag(
      z.boolean().default(false),
      'recordings: fetch missing binaries and symbols from the servers of DEBUGINFOD_URLS (docs/decoder.md)',
    ),
    kallsyms: flag(path.optional(), 'recordings: a copy of /proc/kallsyms from the recorded machine', {
      value: 'FILE',
    }),
    pltNames: flag(
      z.enum(['perf-6.1', 'all']).optional(),
      'recordings: which calls into libraries the own decoder names (default: as the perf that recorded)',
    ),
    perf: flag(path.default('perf'), 'recordings: decode them with this perf', { value: 'FILE' }),
    wakes: flag(
      path.optional(),
      'recordings: the wakings of the whole machine (default: those next to the recording, in FILE.wakes.data)',
      { value: 'FILE' },
    ),
    maxRatio: flag(
      z.number('must be a number').min(0, 'must be 0 or more').default(200),
      'text: refuse gzip that unpacks to more than so many times its size; 0: no limit',
    ),
    salvage: flag(
      z.boolean().default(false),
      'recordings, imported traces: use the readable part of a truncated or damaged file',
    ),
  });
export type DecodingOptions = z.infer<
  z.ZodObject<ReturnType<typeof decoding> & Pick<ReturnType<typeof resources>, 'jobs' | 'tempDir'>>
> & {
  readonly quiet: boolean;
};

/** Returns the words of the flags of `decoding` that were given: for the next command that reads the same recording. */
export function decodingWords(options: Partial<DecodingOptions>): string[] {
  const given = options as Readonly<Record<string, unknown>>;
  return flagsOf(z.object(decoding())).flatMap(({ name, property, kind, defaultValue }) => {
    const value = given[property];
    if (value === undefined || value === defaultValue) return [];
    if (kind === 'boolean') return [`--${name}`];
    const text = String(value);
    return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
  });
}

/** Select threads and CPUs. */
export const selection = () =>
  group('Selection', {
    tid: numberList('only these threads: numbers and ranges, such as 12,20-29', {
      common: 'only these threads',
      byName: '--comm NAME',
    }),
    pid: numberList('only these processes', { byName: '--comm NAME' }),
    comm: flag(regex.optional(), 'only threads whose command name matches', { value: 'REGEX' }),
    excludeComm: flag(regex.optional(), 'without the threads whose command name matches', { value: 'REGEX' }),
    cpu: numberList('only what ran on these CPUs'),
  });

/** Selects time. */
export const windowed = () =>
  group('Selection', {
    window: flag(window.optional(), "only this time, such as +10ms,+20ms from the start, or on perf's clock", {
      value: 'FROM,TO',
      common: 'only this time, such as +10ms,+20ms',
    }),
  });

/** Select time and calls. */
export const filters = () => ({
  ...windowed(),
  ...group('Selection', {
    root: flag(functionPattern.optional(), 'only calls of this function and their callees; it becomes the root', {
      value: 'FUNCTION',
    }),
    inside: flag(
      callPatterns.optional(),
      'only inside calls of FUNCTION, or FUNCTION#MIN,MAX for calls of that duration, such as do_command#10us,1ms; may be repeated',
      { value: 'CALLS', common: 'only inside calls of FUNCTION, or FUNCTION#MIN,MAX' },
    ),
  }),
  ...group('Replay', {
    foldRecursion: flag(z.boolean().default(false), 'count direct recursion as one call'),
  }),
});

export const replaying = () =>
  group('Replay', {
    tailCalls: flag(
      z.enum(['nest', 'replace']).default('nest'),
      'show a tail-called function below the function that jumped to it, or instead of it',
    ),
    fibers: flag(
      z.enum(['root', 'nest']).default('root'),
      'show fibers and other stacks of a thread as roots, or on the call that left its first stack',
    ),
    scheduler: flag(
      z.enum(['hide', 'show']).default('hide'),
      "traced kernels: show waits on the function that slept, or on the kernel's scheduler that it called",
    ),
    noExtend: flag(z.boolean().default(false), 'do not extend waiting threads to the start and end of the recording'),
  });

/** For commands that show sums. */
export const collapsing = (formats?: readonly string[]) => {
  const ofLibraries = (what: string) =>
    flag(
      z.array(z.string().min(1, 'must be the name of a library')).optional(),
      `${what}; may be repeated${formats ? ` (${formats.join(', ')})` : ''}`,
      { value: 'LIBRARY', ...(formats && { formats }) },
    );
  return group('Appearance', {
    collapse: ofLibraries('draw the functions of LIBRARY as one frame, such as kernel or libc'),
    fold: ofLibraries('give the time of LIBRARY, and what it calls, to the functions that call it'),
  });
};

/** The selection, and how it is replayed. */
export const shown = () => ({ ...selection(), ...filters(), ...replaying() });
/** Of all commands on traces. */
export type TraceOptions = z.infer<z.ZodObject<ReturnType<typeof shown> & ReturnType<typeof resources>>>;

export const reading = () => ({ ...decoding(), ...resources(), ...general() });

export const json = flag(z.boolean().default(false), 'print JSON, for programs: docs/answers.md', {
  common: 'print JSON, for programs',
});
export const csv = flag(z.boolean().default(false), 'print comma-separated values, for spreadsheets', { common: true });
/** Where an answer goes instead of standard output. */
const answerFile = outputs(
  'write FILE.txt, .csv or .json instead of printing; may be repeated',
  'write FILE.txt, .csv or .json',
);
export const answering = () => ({ output: answerFile, json, csv });
/** For an argument that may also be a regular expression. */
export const regexFlag = (argument: string) =>
  flag(z.boolean().default(false), `${argument} is a regular expression`, {
    instead: `write the regular expression as '/…/'`,
  });
const match = flag(regex.optional(), 'only functions whose name matches', { value: 'REGEX', common: true });
export const matching = () => group('Selection', { match });
/** `common`: what `--help` says; without it, only `--help-all` shows the flag. */
export const limit = (byDefault: number, description: string, formats: readonly string[], common?: string) =>
  flag(
    z.number('must be a number').int('must be a whole number').min(0, 'must be 0 or more').default(byDefault),
    description,
    { formats, ...(common !== undefined && { common }) },
  );

/** For commands that show functions. */
export const srcline = () =>
  group('Output', {
    srcline: flag(
      z.boolean().default(false),
      'also show where functions begin in source code, from the debug information of the binaries',
    ),
  });

/** For commands that show call paths. */
export const inline = () =>
  group('Output', {
    inline: flag(
      z.boolean().default(false),
      'also show inlined functions on the way to calls, from the debug information of the binaries',
    ),
  });

export const perf = flag(path.default('perf'), 'which perf to run', { value: 'FILE' });
export const auxSize = flag(
  bufferSize.optional(),
  'size of the buffer of each CPU or thread, such as 32M (default: up to 32M, within memory and limits)',
  { alias: 'm', value: 'SIZE' },
);

const TEXT = 'text of perf script, also compressed (.gz); - is standard input; several make up one trace';
/** Inputs that contain single calls. */
export const TRACES: Argument = {
  property: 'inputs',
  placeholder: 'INPUT',
  description: `a recording (perf.data), a pack, an imported trace (.ptf), or ${TEXT}`,
  short: 'a recording, pack, .ptf or text of perf script; -: standard input',
  isMany: true,
  isFile: true,
};
/** For commands that compare the calls of all snapshots. */
export const TRACES_OR_SNAPSHOTS: Argument = {
  ...TRACES,
  description: `${TRACES.description}; or the directory of record --trigger, whose snapshots are compared`,
};
export const INPUTS: Argument = {
  ...TRACES,
  description: `a recording (perf.data), a pack, an imported trace (.ptf), a JSON profile, or ${TEXT}`,
  short: 'a recording, a pack, a trace (.ptf), a profile (.json) or text of perf script; - is standard input',
};
