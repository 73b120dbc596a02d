/**
 * One zod schema per command: the flags, their help, their types and their checks all come from it.
 */
import * as z from 'zod';
import { LEAST_MEMORY_BYTES } from '../../src/text.js';
import { flag, group } from '../usage/flag.js';
import { callPatterns, expression, functionPattern, window } from './values.js';

/** "0-3,8" and repeated flags → numbers. */
export const numberList = z.array(z.coerce.string()).transform((texts, context) => {
  const numbers = texts.flatMap((text) => text.split(',')).flatMap(parseRange);
  if (!numbers.includes(Number.NaN)) return [...new Set(numbers)];
  context.addIssue({ code: 'custom', message: 'is a list of numbers and ranges, as 0-3,8' });
  return z.NEVER;
});

function parseRange(text: string): number[] {
  const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text.trim());
  if (match === null) return [Number.NaN];
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  if (last < first || last - first > 100_000) return [Number.NaN];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export const regex = z.string().transform((text, context) => {
  const found = expression(text);
  if (found !== null) return found;
  context.addIssue({ code: 'custom', message: `is a regular expression, which "${text}" is not` });
  return z.NEVER;
});

export const path = z.string().min(1, 'needs a name that is not empty');

/** What every command takes; `--help` and `--version` never reach one. */
export const general = group('General', {
  quiet: flag(z.boolean().default(false), 'print results and errors only: no progress, no summary', { alias: 'q' }),
  noColor: flag(z.boolean().default(false), 'print without colour, as with NO_COLOR=1 in the environment'),
});

const outputs = (description: string) => flag(z.array(path).optional(), description, { alias: 'o', value: 'FILE' });

/** How a picture looks; what is not given is the library's default. */
const appearance = group('Appearance', {
  title: flag(z.string().optional(), 'the heading above the picture (html, svg)', { formats: ['html', 'svg'] }),
  icicle: flag(z.boolean().default(false), 'callers on top, callees below (html, svg)', { formats: ['html', 'svg'] }),
  width: flag(
    z.number('is a number').min(300, 'is 300 or more').max(20_000, 'is 20000 or less').optional(),
    'width where no browser window sets it (svg; default: 1200)',
    { value: 'PX', formats: ['svg'] },
  ),
  minPx: flag(
    z.number('is a number').min(0, 'is 0 or more').optional(),
    'merge neighbouring frames that are narrower (svg; default: a third of a pixel)',
    { value: 'PX', formats: ['svg'] },
  ),
  by: flag(
    z.enum(['none', 'thread', 'process', 'comm']).default('none'),
    'add a root frame for each thread, process or command name (svg, folded)',
    { formats: ['svg', 'folded'] },
  ),
  annotate: flag(z.boolean().default(false), 'add calls, cut calls and the average in ns to each name (folded)', {
    formats: ['folded'],
  }),
  minNs: flag(
    z.number('is a number').min(0, 'is 0 or more').default(0),
    'leave out paths with less time of their own (folded)',
    { value: 'NS', formats: ['folded'] },
  ),
});

/** "256M" → bytes. */
const byteSize = z.string().transform((text, context) => {
  const match = /^(\d{1,12}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  const bytes =
    match === null ? 0 : Number(match[1]) * 1024 ** ' KMGT'.indexOf((match[2] as string).toUpperCase() || ' ');
  if (bytes >= LEAST_MEMORY_BYTES) return bytes;
  context.addIssue({ code: 'custom', message: 'is a size, as 512M or 8G, of 160M at least' });
  return z.NEVER;
});

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

export const RenderOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    output: outputs('where to write; - is standard output (default); may be repeated'),
    format: flag(
      z.enum(['folded', 'svg', 'html', 'json']).optional(),
      'format of all outputs (default: by the ending of FILE; without one, folded)',
    ),
  }),
  ...appearance,
  ...selection,
  ...filters,
  ...replaying,
  ...group('What is shown', {
    byCalls: flag(z.boolean().default(false), 'take a trace without times: frames weigh their calls'),
  }),
  ...decoding,
  ...resources,
  ...general,
});
export type RenderOptions = z.infer<typeof RenderOptions>;

export const ImportOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    output: flag(path, 'where to write the trace; - is standard output', { alias: 'o', value: 'FILE' }),
  }),
  ...selection,
  ...decoding,
  ...resources,
  ...general,
});
export type ImportOptions = z.infer<typeof ImportOptions>;

export const PackOptions = z.object({
  recording: path,
  ...group('Output', { output: flag(path, 'where to write the pack', { alias: 'o', value: 'FILE' }) }),
  symfs: decoding.symfs,
  kallsyms: decoding.kallsyms,
  ...general,
});
export type PackOptions = z.infer<typeof PackOptions>;

export const DemoOptions = z.object({
  ...group('Output', { output: outputs('where to write (default: flame.html); may be repeated') }),
  ...general,
});
export type DemoOptions = z.infer<typeof DemoOptions>;

export const InfoOptions = z.object({
  file: path,
  ...group('Output', { json: flag(z.boolean().default(false), 'print JSON, for programs: docs/perf-data.md') }),
  ...general,
});
export type InfoOptions = z.infer<typeof InfoOptions>;

export const HelpOptions = z.object({
  command: z.string().optional(),
  ...group('Output', { man: flag(z.boolean().default(false), 'print the man page: ptflame help --man | man -l -') }),
  ...general,
});
export type HelpOptions = z.infer<typeof HelpOptions>;

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const CompletionOptions = z.object({ shell: z.enum(SHELLS).optional(), ...general });
export type CompletionOptions = z.infer<typeof CompletionOptions>;
