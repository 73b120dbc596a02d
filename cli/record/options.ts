/**
 * The options of `ptflame record`, from which the recording is planned.
 */

import * as z from 'zod';
import { auxSize, general, perf } from '../options/shared.js';
import {
  duration,
  fileSize,
  numberList,
  path,
  percentage,
  probes,
  snapshotSize,
  text,
  waits,
} from '../options/values.js';
import { flag, group } from '../usage/flag.js';

const term = (description: string) =>
  flag(
    z
      .number('must be a number')
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .max(15, 'must be 15 or less')
      .optional(),
    description,
  );

/** The options of `ptflame record`. */
export const RecordOptions = z.object({
  ...group('What to record', {
    pid: numberList('these processes and the threads they start, as pidof and pgrep print them', {
      alias: 'p',
      whenEmpty: 'no such process: is it running?',
      byName: '$(pidof NAME)',
      common: 'these processes',
    }),
    tid: numberList('these threads, without those they start', { whenEmpty: 'no such thread: is it running?' }),
    cpu: numberList('these CPUs: numbers and ranges, such as 0-3,8', {
      alias: 'C',
      common: 'these CPUs, such as 0-3,8',
    }),
    allCpus: flag(z.boolean().default(false), 'all CPUs', { alias: 'a' }),
    perThread: flag(z.boolean().default(false), 'with --pid: one buffer per thread that exists now, not per CPU'),
    user: flag(z.boolean().default(false), 'only user code, not the kernel (default)'),
    kernel: flag(z.boolean().default(false), 'also the kernel, with a copy of its code; the output is a directory'),
    only: flag(z.array(text).optional(), 'only this function of --binary, without its callees; may be repeated', {
      value: 'FUNCTION',
    }),
    binary: flag(path.optional(), 'the binary that contains the functions of --only', { value: 'FILE' }),
    filter: flag(
      z.array(text).optional(),
      "perf's address filter, such as 'filter main @ /usr/bin/x'; may be repeated",
      {
        value: 'FILTER',
      },
    ),
  }),
  ...group('Waits', {
    waits: flag(
      waits.optional(),
      'also who waits for whom: futexes of the target, and wakings on the whole machine in FILE.wakes.data; full: also why threads stop. A switch of a thread costs the target 1000 ns, with full 2000 ns',
      { valueOptional: true, value: 'full', common: 'also who waits for whom; full: and why, at 2000 ns a switch' },
    ),
    probe: flag(
      probes.optional(),
      "also each passage of a function, with arguments as perf probe takes them: 'push=./server:Queue::push job=%di'; its calls, entry and returns: 'cmd=./server:command%calls'; only its returns: 'pop=./server:Queue::pop%returns job=%ax'; may be repeated",
      { value: 'PROBE', common: 'also each passage of a function, with arguments' },
    ),
    why: flag(
      z.boolean().default(false),
      'also what the kernel does in the target: page faults, interrupts, softirqs, preemptions, migrations; latency --slowest counts them in calls',
      { common: 'also page faults, interrupts and preemptions' },
    ),
    syscalls: flag(
      z.boolean().default(false),
      'also which system calls the target makes: calls of functions like [read]; --kernel shows them, too',
    ),
    noTrace: flag(z.boolean().default(false), 'only --waits, --why and --probe, without Intel PT: works on any CPU', {
      common: 'without Intel PT, on any CPU: only waits and probes',
    }),
  }),
  ...group('When', {
    time: flag(duration.optional(), 'how long, such as 500ms, 1s or 2m (default: 1s; for a command: until it ends)', {
      alias: 't',
      value: 'TIME',
      common: 'how long, such as 500ms (default: 1s)',
    }),
    snapshot: flag(
      snapshotSize.optional(),
      'overwrite the buffer and keep its last part (SIZE), at the end or on --trigger',
      { valueOptional: true, value: 'SIZE', common: 'keep only the last part, of this size' },
    ),
    trigger: flag(
      text.optional(),
      "a snapshot of each call of a function that lasts as long: 'parse>10ms'; of each way from one function to another: 'parse..reply>10ms'; when a call begins: parse@entry; also server.c:120 and 0x1234, the address of code, instead of a function; signal, with --snapshot: at each SIGUSR2 to ptflame. The output is a directory",
      { value: 'FUNCTION>TIME', common: "snapshots of slow calls of a function: 'parse>10ms'" },
    ),
    keep: flag(
      z
        .number('must be a number')
        .int('must be a whole number')
        .min(1, 'must be 1 or more')
        .max(1000, 'must be 1000 or less')
        .optional(),
      'with --trigger: how many snapshots to keep, those of the slowest calls (default: 10)',
      { value: 'N' },
    ),
    keepSize: flag(
      fileSize.optional(),
      'with --trigger: keep snapshots of the slowest calls up to this size, such as 2G, instead of a number',
      { value: 'SIZE' },
    ),
    early: flag(
      z.boolean().default(false),
      'with --trigger: take the snapshot as soon as the time is over, while the call still runs',
    ),
    every: flag(duration.optional(), 'with --trigger: the least time between snapshots (default: 1s)', {
      value: 'TIME',
    }),
    maxCost: flag(
      percentage.optional(),
      'with --trigger: stop when watching takes more of a CPU from the target (default: 2%)',
      { value: 'PERCENT' },
    ),
  }),
  ...group('Output', {
    output: flag(path.default('perf.data'), 'where to write the recording', {
      alias: 'o',
      value: 'FILE',
      common: 'where to write (default: perf.data)',
    }),
    render: flag(z.array(path).optional(), 'also render the recording to FILE; may be repeated', {
      value: 'FILE',
      common: 'also render the recording to FILE',
    }),
    dryRun: flag(z.boolean().default(false), 'print the commands and run nothing; works on any machine', {
      common: 'print the commands and run nothing',
    }),
  }),
  ...group('Precision and size', {
    auxSize,
    cyc: flag(z.boolean().default(false), 'require cycle-accurate times (default: if the CPU has them)'),
    noCyc: flag(z.boolean().default(false), 'no cycle-accurate times: less data'),
    cycThresh: term('at most one cycle-accurate time every 2^(N-1) cycles'),
    mtcPeriod: term('a coarse time every 2^N ticks of the crystal clock'),
    psbPeriod: term('a point where decoding can start every 2^(N+11) bytes'),
    noretcomp: flag(z.boolean().default(false), 'a packet for each return: more data, better times, fewer errors'),
  }),
  ...group('Resources', { perf }),
  ...general(),
});
export type RecordOptions = z.infer<typeof RecordOptions>;
