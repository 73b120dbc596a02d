/**
 * The flags of the commands that have to do with recording: `record` and `doctor`.
 */
import * as z from 'zod';
import { flag, numberList, path, quiet } from './options.js';

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

const perf = flag(path.default('perf'), 'which perf to run');
const auxSize = flag(
  bufferSize.optional(),
  'size of the buffer of each CPU or thread, as 32M (default: up to 32M, what memory and limits allow)',
  { alias: 'm' },
);
const recording = flag(path.default('perf.data'), 'where to write the recording', { alias: 'o' });

export const RecordOptions = z.object({
  cpu: flag(numberList.optional(), 'record these CPUs: numbers and ranges, as 0-3,8', { alias: 'C' }),
  pid: flag(numberList.optional(), 'record these processes, with the threads that they start', { alias: 'p' }),
  tid: flag(numberList.optional(), 'record these threads, and none that they start'),
  allCpus: flag(z.boolean().default(false), 'record all CPUs', { alias: 'a' }),
  perThread: flag(
    z.boolean().default(false),
    'with --pid: a buffer for each thread that is there now, not for each CPU',
  ),
  time: flag(duration.optional(), 'how long, as 500ms, 1s or 2m (default: 1s; a command: as long as it lives)', {
    alias: 't',
  }),
  output: recording,
  render: flag(z.array(path).optional(), 'render the recording too, to this file; may be repeated'),
  auxSize,
  user: flag(z.boolean().default(false), 'only code of programs, not of the kernel (default)'),
  kernel: flag(
    z.boolean().default(false),
    'the kernel too; keeps its code beside the trace: the output is a directory',
  ),
  filter: flag(z.array(text).optional(), "perf's address filter, as 'filter main @ /usr/bin/x'; may be repeated"),
  only: flag(
    z.array(text).optional(),
    'only the code of this function of --binary, not what it calls; may be repeated',
  ),
  binary: flag(path.optional(), 'the program or library that --only looks into'),
  snapshot: flag(
    snapshotSize.optional(),
    'overwrite the buffer and keep only its last part (of that size), taken at the end or by --trigger',
    { valueOptional: true },
  ),
  trigger: flag(text.optional(), 'with --snapshot: "signal" takes a snapshot at each SIGUSR2 to ptflame'),
  cyc: flag(z.boolean().default(false), 'cycle-accurate times, or fail (default: where the CPU has them)'),
  noCyc: flag(z.boolean().default(false), 'no cycle-accurate times: less data'),
  cycThresh: term('cycle-accurate times at most each 2^(N-1) cycles'),
  mtcPeriod: term('a coarse time each 2^N ticks of the crystal clock'),
  psbPeriod: term('a point where decoding can start each 2^(N+11) bytes'),
  noretcomp: flag(z.boolean().default(false), 'a packet for each return: more data, better times, fewer errors'),
  perf,
  dryRun: flag(z.boolean().default(false), 'print the commands, on any machine, and run nothing'),
  quiet,
});
export type RecordOptions = z.infer<typeof RecordOptions>;

export const DoctorOptions = z.object({
  perf,
  auxSize,
  output: flag(path.default('perf.data'), 'where a recording would be written', { alias: 'o' }),
  json: flag(z.boolean().default(false), 'print JSON'),
});
export type DoctorOptions = z.infer<typeof DoctorOptions>;
