/**
 * The flags of the commands that have to do with recording: `record` and `doctor`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { general, numberList, path } from './shared.js';

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** "500ms" → milliseconds. */
const duration = z.string().transform((text, context) => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text.trim());
  const ms = match === null ? 0 : Number(match[1]) * MS[match[2] as keyof typeof MS];
  if (ms >= 1 && ms <= 24 * MS.h) return ms;
  context.addIssue({ code: 'custom', message: 'is a time from 1ms to 24h with its unit, as 500ms, 1s or 2m' });
  return z.NEVER;
});

const LEAST_BUFFER = 8 * 1024;
const LARGEST_BUFFER = 2 ** 35;

/** "32M" → bytes. */
function bufferBytes(text: string): number | null {
  const match = /^(\d{1,11})([KMG]?)(?:i?B)?$/i.exec(text.trim());
  const bytes = match === null ? 0 : Number(match[1]) * 1024 ** ' KMG'.indexOf(match[2]?.toUpperCase() || ' ');
  const fits = bytes >= LEAST_BUFFER && bytes <= LARGEST_BUFFER && Number.isInteger(Math.log2(bytes));
  return fits ? bytes : null;
}

const bufferSize = z.string().transform((text, context) => {
  const bytes = bufferBytes(text);
  if (bytes !== null) return bytes;
  context.addIssue({ code: 'custom', message: 'is a power of two from 8K on, as 512K, 32M or 1G' });
  return z.NEVER;
});

/** Without a value: null, as much as the buffer holds. */
const snapshotSize = z.string().transform((text, context) => {
  const bytes = text === '' ? null : bufferBytes(text);
  if (text === '' || bytes !== null) return { bytes };
  context.addIssue({ code: 'custom', message: 'is a power of two from 8K on, as 512K or 32M, or stands alone' });
  return z.NEVER;
});

const term = (description: string) =>
  flag(
    z.number('is a number').int('is a whole number').min(0, 'is 0 or more').max(15, 'is 15 or less').optional(),
    description,
  );

/** No argument of a process can hold one. */
const text = z.string().min(1, 'needs a text that is not empty');

const perf = flag(path.default('perf'), 'which perf to run', { value: 'FILE' });
const auxSize = flag(
  bufferSize.optional(),
  'size of the buffer of each CPU or thread, such as 32M (default: up to 32M, within memory and limits)',
  { alias: 'm', value: 'SIZE' },
);

export const RecordOptions = z.object({
  ...group('What to record', {
    pid: flag(numberList.optional(), 'these processes, with the threads that they start', {
      alias: 'p',
      value: 'LIST',
    }),
    tid: flag(numberList.optional(), 'these threads, and none that they start', { value: 'LIST' }),
    cpu: flag(numberList.optional(), 'these CPUs: numbers and ranges, such as 0-3,8', { alias: 'C', value: 'LIST' }),
    allCpus: flag(z.boolean().default(false), 'all CPUs', { alias: 'a' }),
    perThread: flag(
      z.boolean().default(false),
      'with --pid: a buffer for each thread that exists now, not for each CPU',
    ),
    user: flag(z.boolean().default(false), 'only user code, not the kernel (default)'),
    kernel: flag(z.boolean().default(false), 'the kernel too, with a copy of its code: the output is a directory'),
    only: flag(
      z.array(text).optional(),
      'only the code of this function of --binary, not what it calls; may be repeated',
      {
        value: 'FUNCTION',
      },
    ),
    binary: flag(path.optional(), 'the program or library in which --only looks', { value: 'FILE' }),
    filter: flag(
      z.array(text).optional(),
      "perf's address filter, such as 'filter main @ /usr/bin/x'; may be repeated",
      {
        value: 'FILTER',
      },
    ),
  }),
  ...group('When', {
    time: flag(duration.optional(), 'how long, such as 500ms, 1s or 2m (default: 1s; a command: until it ends)', {
      alias: 't',
      value: 'TIME',
    }),
    snapshot: flag(
      snapshotSize.optional(),
      'overwrite the buffer and keep its last part (SIZE), at the end or when --trigger says so',
      { valueOptional: true, value: 'SIZE' },
    ),
    trigger: flag(text.optional(), 'with --snapshot: take one at each SIGUSR2 to ptflame', { value: 'signal' }),
  }),
  ...group('Output', {
    output: flag(path.default('perf.data'), 'where to write the recording', { alias: 'o', value: 'FILE' }),
    render: flag(z.array(path).optional(), 'render the recording to FILE as well; may be repeated', { value: 'FILE' }),
    dryRun: flag(z.boolean().default(false), 'print the commands and run nothing; works on any machine'),
  }),
  ...group('Precision and size', {
    auxSize,
    cyc: flag(z.boolean().default(false), 'cycle-accurate times, or fail (default: where the CPU has them)'),
    noCyc: flag(z.boolean().default(false), 'no cycle-accurate times: less data'),
    cycThresh: term('a cycle-accurate time every 2^(N-1) cycles at most'),
    mtcPeriod: term('a coarse time every 2^N ticks of the crystal clock'),
    psbPeriod: term('a point where decoding can start every 2^(N+11) bytes'),
    noretcomp: flag(z.boolean().default(false), 'a packet for each return: more data, better times, fewer errors'),
  }),
  ...group('Resources', { perf }),
  ...general,
});
export type RecordOptions = z.infer<typeof RecordOptions>;

export const DoctorOptions = z.object({
  ...group('What is checked', {
    auxSize,
    output: flag(path.default('perf.data'), 'where a recording would be written', { alias: 'o', value: 'FILE' }),
    perf,
  }),
  ...group('Output', { json: flag(z.boolean().default(false), 'print JSON, for programs: docs/recording.md') }),
  ...general,
});
export type DoctorOptions = z.infer<typeof DoctorOptions>;
