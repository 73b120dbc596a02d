/**
 * One zod schema per command: the flags, their help, their types and their checks all come from it.
 */
import * as z from 'zod';
import { LEAST_MEMORY_BYTES } from '../src/text.js';
import { callPatterns, expression, functionPattern, window } from './question-flags.js';

/** What a flag has beside its description. */
export interface FlagMeta {
  readonly alias?: string;
  /** It may stand without a value, which is then ''. */
  readonly valueOptional?: boolean;
}

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

export const flag = <Schema extends z.ZodType>(schema: Schema, description: string, meta: FlagMeta = {}): Schema =>
  schema.meta({ description, ...meta });

export const quiet = flag(z.boolean().default(false), 'no progress and no summary');
export const path = z.string().min(1, 'needs a name that is not empty');
const outputs = (description: string) => flag(z.array(path).optional(), description, { alias: 'o' });

/** How an SVG looks; what is not given is the library's default. */
const picture = {
  title: flag(z.string().optional(), 'html, svg: what stands above the picture'),
  width: flag(
    z.number('is a number').min(300, 'is 300 or more').max(20_000, 'is 20000 or less').optional(),
    'svg: width in pixels (default: 1200); in a browser the picture fills the window',
  ),
  icicle: flag(z.boolean().default(false), 'html, svg: callers on top, callees below them'),
  minPx: flag(
    z.number('is a number').min(0, 'is 0 or more').optional(),
    'svg: narrower frames are drawn together with their neighbours (default: a third of a pixel)',
  ),
};

/** "256M" → bytes. */
const byteSize = z.string().transform((text, context) => {
  const match = /^(\d{1,12}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  const bytes =
    match === null ? 0 : Number(match[1]) * 1024 ** ' KMGT'.indexOf((match[2] as string).toUpperCase() || ' ');
  if (bytes >= LEAST_MEMORY_BYTES) return bytes;
  context.addIssue({ code: 'custom', message: 'is a size, as 512M or 8G, of 160M at least' });
  return z.NEVER;
});

export const resources = {
  jobs: flag(
    z.number('is a number').int('is a whole number').min(1, 'is 1 or more').max(1024, 'is 1024 or less').optional(),
    'how many threads work (default: one a processor)',
    { alias: 'j' },
  ),
  memory: flag(byteSize.optional(), 'memory that may be used, as 512M or 8G (default: a quarter of the machine)'),
  tempDir: flag(path.optional(), 'where to keep what does not fit into memory'),
};

/** How recordings are decoded. */
export const decoding = {
  perf: flag(path.default('perf'), 'recordings: the perf that decodes them'),
  precise: flag(z.boolean().default(false), 'recordings: decode every branch, not only calls and returns: slower'),
  symfs: flag(path.optional(), 'recordings: where the files are that ran, in place of /'),
  salvage: flag(
    z.boolean().default(false),
    'recordings, imported traces: use what is left of one that was cut, or never finished',
  ),
  kallsyms: flag(path.optional(), 'recordings: a copy of /proc/kallsyms of the recorded kernel'),
};
export type DecodingOptions = z.infer<z.ZodObject<typeof decoding & Pick<typeof resources, 'jobs' | 'tempDir'>>> & {
  readonly quiet: boolean;
};

/** Of which threads and processors. */
export const selection = {
  tid: flag(numberList.optional(), 'only these threads: numbers and ranges, as 12,20-29'),
  pid: flag(numberList.optional(), 'only these processes, likewise'),
  comm: flag(regex.optional(), 'only threads that had a name like this regular expression'),
  cpu: flag(numberList.optional(), 'only what ran on these processors, likewise'),
};

/** What of their time. */
export const filters = {
  window: flag(window.optional(), "only the time FROM,TO: +10ms,+20ms from the start, or on perf's clock"),
  root: flag(functionPattern.optional(), 'only what happens inside this function, which becomes the root'),
  inside: flag(
    callPatterns.optional(),
    'only inside calls of FUNCTION, or of FUNCTION#MIN,MAX that took so long, as do_command#10us,1ms; may be repeated',
  ),
  foldRecursion: flag(z.boolean().default(false), 'a function that calls itself directly is one call'),
};

export const replaying = {
  tailCalls: flag(
    z.enum(['nest', 'replace']).default('nest'),
    'show a function that was jumped to below the one that jumped, or in its place',
  ),
  noExtend: flag(z.boolean().default(false), 'do not extend threads that wait to the bounds of the recording'),
};

export const RenderOptions = z.object({
  inputs: z.array(path).min(1),
  output: outputs('where to write: a file, or - for standard output (default); may be repeated'),
  format: flag(
    z.enum(['folded', 'svg', 'html', 'json']).optional(),
    'format of all outputs; default: by the ending of FILE, else folded',
  ),
  ...picture,
  annotate: flag(z.boolean().default(false), 'folded: add calls, inferred calls and the average in ns to each name'),
  by: flag(
    z.enum(['none', 'thread', 'process', 'comm']).default('none'),
    'put a root frame above each group of threads',
  ),
  minNs: flag(
    z.number('is a number').min(0, 'is 0 or more').default(0),
    'folded: leave out paths with less time of their own',
  ),
  ...replaying,
  byCalls: flag(z.boolean().default(false), 'take a trace without times: frames weigh their calls'),
  ...selection,
  ...filters,
  ...decoding,
  ...resources,
  quiet,
});
export type RenderOptions = z.infer<typeof RenderOptions>;

export const ImportOptions = z.object({
  inputs: z.array(path).min(1),
  output: flag(path, 'where to write the trace: a file, or - for standard output', { alias: 'o' }),
  ...selection,
  ...decoding,
  ...resources,
  quiet,
});
export type ImportOptions = z.infer<typeof ImportOptions>;

export const PackOptions = z.object({
  recording: path,
  output: flag(path, 'where to write the pack', { alias: 'o' }),
  symfs: decoding.symfs,
  kallsyms: decoding.kallsyms,
  quiet,
});
export type PackOptions = z.infer<typeof PackOptions>;

export const DemoOptions = z.object({
  output: outputs('where to write (default: flame.html)'),
  quiet,
});
export type DemoOptions = z.infer<typeof DemoOptions>;

export const InfoOptions = z.object({
  file: path,
  json: flag(z.boolean().default(false), 'as JSON'),
});
export type InfoOptions = z.infer<typeof InfoOptions>;
