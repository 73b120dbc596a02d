/**
 * What `ptflame info --json` writes: a schema for whoever reads it. Times of perf's clock are text, "12345.678889752":
 * after 104 days they are more than a number holds.
 */
import * as z from 'zod';

/** A whole number; of a garbled file it may be larger than a number holds exactly. */
const count = z.number().min(0).refine(Number.isInteger);
const perfTime = z.string().regex(/^\d+\.\d{9}$/);
const range = z.object({ least: z.number(), most: z.number() });

export const RecordingInfo = z.object({
  /** What it is, and which version of it: fields may be added, and none is taken away without a new version. */
  format: z.literal('ptflame-recording-info'),
  version: z.literal(1),
  /** As it was named. */
  file: z.string(),
  sizeBytes: count,
  /** Where it was recorded; null: the file does not tell. */
  machine: z.object({
    hostName: z.string().nullable(),
    /** Its release, "6.18.44". */
    kernel: z.string().nullable(),
    /** "x86_64". */
    architecture: z.string().nullable(),
    /** The name of the processor. */
    cpu: z.string().nullable(),
    /** That were running, of those that are there. */
    cpusOnline: count.nullable(),
    cpusAvailable: count.nullable(),
    memoryBytes: count.nullable(),
    perfVersion: z.string().nullable(),
  }),
  /** What recorded it, and its arguments. */
  command: z.array(z.string()).nullable(),
  /** The event of Intel PT, as given to perf; null: there is none. */
  event: z.string().nullable(),
  /** How Intel PT was set up; null: the file holds no trace of it. */
  settings: z
    .object({
      /** False: a buffer for each thread, and nobody knows the processors. */
      isPerCpu: z.boolean(),
      /** Buffers were written over again and again, and kept on demand. */
      isSnapshot: z.boolean(),
      /** Time can be told from the trace. */
      hasTime: z.boolean(),
      /** Times are exact to the cycle (`cyc`). */
      hasCycles: z.boolean(),
      /** The kernel was traced too. */
      hasKernel: z.boolean(),
      /** Which switches of threads were recorded: of the recorded processes, or of whole processors. */
      switches: z.enum(['none', 'tracepoint', 'own', 'all']),
      /** Of address filters, as given to perf; empty: none. */
      filter: z.string(),
    })
    .nullable(),
  /** First and last time of any record, on perf's clock; null: nothing has a time. */
  time: z.object({ start: perfTime, end: perfTime, durationNs: count }).nullable(),
  /** The trace itself. */
  aux: z.object({
    bytes: count,
    /** Into how many parts of the file it was written. */
    pieces: count,
    /** By processor or by thread; of the other, `null`. Ordered by number. */
    parts: z.array(z.object({ cpu: count.nullable(), tid: count.nullable(), bytes: count, pieces: count })),
  }),
  /** What is known before decoding; overflows show only in the trace. */
  losses: z.object({
    /** Pieces behind which something is missing, as the buffer was full. */
    truncated: count,
    /** Of the first 100 of them. */
    truncatedAt: z.array(z.object({ time: perfTime.nullable(), cpu: count.nullable(), tid: count.nullable() })),
    /** Pieces in which others wrote too. */
    collisions: count,
    /** Pieces with gaps in them, as of a virtual machine. */
    partial: count,
    /** Records beside the trace that perf was too slow for. */
    lostRecords: count,
  }),
  /** That the threads belong to. */
  processes: count,
  /** The threads that were seen beside the trace; most switches first, then by number. */
  threads: z.array(
    z.object({
      tid: count,
      /** null: no record tells it. */
      pid: count.nullable(),
      /** The last one that it had; null: no record tells it. */
      name: z.string().nullable(),
      /** How often it got a processor. */
      switches: count,
    }),
  ),
  /** Files that were mapped into memory. */
  mappedFiles: count,
  /** Of files whose code ran, where perf kept them. */
  buildIds: z.array(z.object({ file: z.string(), buildId: z.string(), isKernel: z.boolean() })),
  /** What is wrong with the file, in words. */
  damage: z.array(z.string()),
  /** What decoding may give, by `perf script --itrace=cre` in one process; null: nothing to decode. */
  estimate: z.object({ lines: range, textBytes: range, seconds: range }).nullable(),
});
export type RecordingInfo = z.infer<typeof RecordingInfo>;
