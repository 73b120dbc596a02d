/**
 * The schema of `ptflame info --json`. Times on perf's clock are text, "12345.678889752": after 104 days, nanoseconds no longer
 * fit a number exactly.
 */
import * as z from 'zod';

/** An integer; a damaged file may give one that a number does not hold exactly. */
const count = z.number().min(0).refine(Number.isInteger);
const perfTime = z.string().regex(/^\d+\.\d{9}$/);
const range = z.object({ least: z.number(), most: z.number() });

/** Samples of tracepoints and probes. */
const samples = z.object({
  /** By name of the event. */
  events: z.array(z.object({ event: z.string(), count })),
  /** Of unknown format, because perf was killed. */
  unreadable: count,
  /** Too short or impossible. */
  damaged: count,
  /** Of events that are not used, such as cycles; null: of those without a name. */
  others: z.array(z.object({ event: z.string().nullable(), count })),
  /** Its .formats file would have them. Absent: they are known, or not needed. */
  lacksKernelNames: z.literal(true).optional(),
});

export const RecordingInfo = z.object({
  /** Format and version. Fields may be added; none is removed without a new version. */
  format: z.literal('ptflame-recording-info'),
  version: z.literal(1),
  /** The path as given. */
  file: z.string(),
  sizeBytes: count,
  /** The recorded machine; null: unknown. */
  machine: z.object({
    hostName: z.string().nullable(),
    /** The release, "6.18.44". */
    kernel: z.string().nullable(),
    /** "x86_64". */
    architecture: z.string().nullable(),
    /** The CPU's model name. */
    cpu: z.string().nullable(),
    cpusOnline: count.nullable(),
    cpusAvailable: count.nullable(),
    memoryBytes: count.nullable(),
    perfVersion: z.string().nullable(),
  }),
  /** The recording command and its arguments. */
  command: z.array(z.string()).nullable(),
  /** The Intel PT event as given to perf; null: none. */
  event: z.string().nullable(),
  /** The settings of Intel PT; null: the file has no Intel PT trace. */
  settings: z
    .object({
      /** False: one buffer per thread; CPUs are unknown. */
      isPerCpu: z.boolean(),
      /** Buffers were overwritten continuously and saved on demand. */
      isSnapshot: z.boolean(),
      /** The trace has times. */
      hasTime: z.boolean(),
      /** Times are cycle-accurate (`cyc`). */
      hasCycles: z.boolean(),
      /** The kernel was also traced. */
      hasKernel: z.boolean(),
      /** Which context switches were recorded: own: those of the recorded processes; all: those of whole CPUs. */
      switches: z.enum(['none', 'tracepoint', 'own', 'all']),
      /** The address filters as given to perf; empty: none. */
      filter: z.string(),
    })
    .nullable(),
  /** First and last time of any record, on perf's clock; null: no record has a time. */
  time: z.object({ start: perfTime, end: perfTime, durationNs: count }).nullable(),
  /** First and last branch: the time that all other commands show; null: unknown, as ptflame cannot decode it. */
  traced: z.object({ start: perfTime, end: perfTime, durationNs: count }).nullable(),
  /** The trace data. */
  aux: z.object({
    bytes: count,
    /** Number of pieces in which perf wrote it to the file. */
    pieces: count,
    /** Per CPU or per thread, ordered by number; the other id is null. */
    parts: z.array(z.object({ cpu: count.nullable(), tid: count.nullable(), bytes: count, pieces: count })),
  }),
  /** Losses known before decoding; overflows appear only in the decoded trace. */
  losses: z.object({
    /** Pieces after which data is missing because the buffer was full. */
    truncated: count,
    /** The first 100 of them. */
    truncatedAt: z.array(z.object({ time: perfTime.nullable(), cpu: count.nullable(), tid: count.nullable() })),
    /** Pieces that another writer also wrote to. */
    collisions: count,
    /** Pieces with gaps inside, as from a virtual machine. */
    partial: count,
    /** Records other than trace data that were lost because perf was too slow. */
    lostRecords: count,
  }),
  samples,
  /** Recordings made at the same time, next to it; samples are null if there is no such file, but should be one. */
  sides: z.array(z.object({ file: z.string(), samples: samples.nullable(), lostRecords: count })),
  /** Number of processes that the threads belong to. */
  processes: count,
  /** The threads that records mention; most switches first, then by tid. */
  threads: z.array(
    z.object({
      tid: count,
      /** null: unknown. */
      pid: count.nullable(),
      /** The thread's last name; null: unknown. */
      name: z.string().nullable(),
      /** How often the thread was switched in. */
      switches: count,
    }),
  ),
  /** Number of files mapped into memory. */
  mappedFiles: count,
  /** Build ids that perf stored of the binaries whose code ran. */
  buildIds: z.array(z.object({ file: z.string(), buildId: z.string(), isKernel: z.boolean() })),
  /** Descriptions of what is wrong with the file. */
  damage: z.array(z.string()),
  /** Decoding by ptflame, from a sample; null: perf decodes it, or there is nothing to decode. */
  decoding: z
    .object({
      /** Branches taken, and the calls and returns among them: counted if the sample is the whole trace, else estimated. */
      branches: count,
      callsAndReturns: count,
      /** How far both may be off, as a share of them: two standard errors; 0: they were counted. */
      uncertainty: z.number(),
      /** Estimated time on one CPU of this machine. */
      seconds: z.number(),
      /**
       * What was decoded for this: pieces all over the trace. Errors: code that is missing, and the like; those in code that is in no
       * file, as that of JIT compilers, are generated errors, too.
       */
      sample: z.object({ pieces: count, bytes: count, ofBytes: count, errors: count, generatedErrors: count }),
    })
    .nullable(),
  /** Estimated output and time of one `perf script --itrace=cre`; null: nothing to decode. */
  estimate: z.object({ lines: range, textBytes: range, seconds: range }).nullable(),
});
export type RecordingInfo = z.infer<typeof RecordingInfo>;
