/**
 * The options of `ptflame record`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { auxSize, general, perf } from './shared.js';
import { duration, numberList, path, snapshotSize, text } from './values.js';

const term = (description: string) =>
  flag(
    z.number('is a number').int('is a whole number').min(0, 'is 0 or more').max(15, 'is 15 or less').optional(),
    description,
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
