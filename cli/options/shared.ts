/**
 * Flags that several commands share. Each command has a zod schema in the file of its name: flags, help, types and checks
 * come from it.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { callPatterns, functionPattern, window } from './question-values.js';
import { bufferSize, byteSize, numberList, path, regex } from './values.js';

/** What every command takes; `--help` and `--version` never reach one. */
export const general = group('General', {
  quiet: flag(z.boolean().default(false), 'print results and errors only: no progress, no summary', { alias: 'q' }),
  noColor: flag(z.boolean().default(false), 'print without colour, as with NO_COLOR=1 in the environment'),
});

export const outputs = (description: string) =>
  flag(z.array(path).optional(), description, { alias: 'o', value: 'FILE' });

export const resources = group('Resources', {
  jobs: flag(
    z.number('is a number').int('is a whole number').min(1, 'is 1 or more').max(1024, 'is 1024 or less').optional(),
    'threads that work, and perf processes that decode (default: one per CPU)',
    { alias: 'j' },
  ),
  memory: flag(byteSize.optional(), "memory to use, such as 512M or 8G (default: a quarter of the machine's)", {
    value: 'SIZE',
  }),
  tempDir: flag(path.optional(), 'where to keep what does not fit into memory', { value: 'DIR' }),
});

/** How recordings are decoded. */
export const decoding = group('Input', {
  precise: flag(z.boolean().default(false), 'recordings: decode every branch, not only calls and returns; slower'),
  symfs: flag(path.optional(), 'recordings: look for the recorded programs below DIR instead of /', { value: 'DIR' }),
  kallsyms: flag(path.optional(), 'recordings: a copy of /proc/kallsyms of the recorded kernel', { value: 'FILE' }),
  perf: flag(path.default('perf'), 'recordings: the perf that decodes them', { value: 'FILE' }),
  salvage: flag(
    z.boolean().default(false),
    'recordings, imported traces: use what is left of one that was cut off or damaged',
  ),
});
export type DecodingOptions = z.infer<z.ZodObject<typeof decoding & Pick<typeof resources, 'jobs' | 'tempDir'>>> & {
  readonly quiet: boolean;
};

/** Of which threads and CPUs. */
export const selection = group('What is shown', {
  tid: flag(numberList.optional(), 'only these threads: numbers and ranges, such as 12,20-29', { value: 'LIST' }),
  pid: flag(numberList.optional(), 'only these processes, likewise', { value: 'LIST' }),
  comm: flag(regex.optional(), 'only threads whose command name matches', { value: 'REGEX' }),
  cpu: flag(numberList.optional(), 'only what ran on these CPUs, likewise', { value: 'LIST' }),
});

/** What of their time. */
export const filters = group('What is shown', {
  window: flag(window.optional(), "only this time: +10ms,+20ms from the start, or on perf's clock", {
    value: 'FROM,TO',
  }),
  root: flag(functionPattern.optional(), 'only what happens inside this function, which becomes the root', {
    value: 'FUNCTION',
  }),
  inside: flag(
    callPatterns.optional(),
    'only inside calls of FUNCTION, or of FUNCTION#MIN,MAX that took so long, such as do_command#10us,1ms; may be repeated',
    { value: 'CALLS' },
  ),
  foldRecursion: flag(z.boolean().default(false), 'count a function that calls itself directly as one call'),
});

export const replaying = group('What is shown', {
  tailCalls: flag(
    z.enum(['nest', 'replace']).default('nest'),
    'show a function that was jumped to below the one that jumped, or in its place',
  ),
  noExtend: flag(z.boolean().default(false), 'do not extend waiting threads to the bounds of the recording'),
});

/** What of which trace is looked at, and how. */
export const shown = { ...selection, ...filters, ...replaying };
export const reading = { ...decoding, ...resources, ...general };

export const json = flag(z.boolean().default(false), 'print JSON, for programs: docs/answers.md');
export const csv = flag(z.boolean().default(false), 'print comma-separated values, for spreadsheets');
const match = flag(regex.optional(), 'only functions whose name matches', { value: 'REGEX' });
export const matching = group('What is shown', { match });
export const atMost = (most: number, description: string, formats: readonly string[]) =>
  flag(z.number('is a number').int('is a whole number').min(0, 'is 0 or more').default(most), description, { formats });

export const perf = flag(path.default('perf'), 'which perf to run', { value: 'FILE' });
export const auxSize = flag(
  bufferSize.optional(),
  'size of the buffer of each CPU or thread, such as 32M (default: up to 32M, within memory and limits)',
  { alias: 'm', value: 'SIZE' },
);
