/**
 * zod schema of the JSON that `ptflame report` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { KERNEL_ENTRIES } from '../../model/kernel-code.js';
import { InferredBy, QualityPart } from '../../profile-file/schema.js';
import { calls, count, durations, head, name, ns, nsOrNull, outsideSelf, Trace, thread } from '../schema.js';

export const FunctionRow = z.object({
  ...name,
  /** A kind of stop: `[syscall]`, `[untraced]`, `[off-cpu]`, `[preempted]`, `[lost]`. Its calls are stops. */
  isStop: z.boolean(),
  /** Why the kernel began to run in it; absent: it did not. */
  entry: z.enum(KERNEL_ENTRIES).optional(),
  /** Inlined, as `--inline` asked for: its calls are not counted, and its time is that of what its code calls. */
  isInlined: z.literal(true).optional(),
  ...calls,
  selfNs: ns,
  outsideNs: ns,
  ...outsideSelf,
  onCpuNs: ns,
  /** The parts of `totalNs` in code of the program, in the kernel for it, and in interrupts; absent: no kernel was traced. */
  userNs: ns.optional(),
  kernelNs: ns.optional(),
  interruptNs: ns.optional(),
  /** Likewise, while the thread had no CPU. */
  offCpuNs: ns.optional(),
  /** How much longer its complete calls lasted than `totalNs` has: waits shown on the scheduler's caller, and halts. */
  asideNs: ns.optional(),
  inferredNs: ns,
  /** Why its time, and that of stops on it, is inferred; absent: it is not, or it is unknown why. */
  inferredBy: InferredBy.optional(),
  ...durations,
});
export type FunctionRow = z.infer<typeof FunctionRow>;

export const InterruptRow = z.object({
  /** The function that the kernel began in. */
  ...name,
  entry: z.enum(['interrupt', 'NMI']),
  /** The function that ran; null: code that is not traced. */
  interrupted: z.object(name).nullable(),
  calls: count,
  /** With those that interrupted this one; without time in which the thread had no CPU. */
  totalNs: ns,
  avgNs: nsOrNull,
  /** Of complete ones, as the clock says. */
  maxNs: nsOrNull,
  /** The devices' functions that handled it, the most calls first. */
  handlers: z.array(z.object(name)),
});
export type InterruptRow = z.infer<typeof InterruptRow>;

export const ThreadReport = z.object({
  ...thread,
  totalNs: ns,
  outsideNs: ns,
  onCpuNs: ns,
  functions: z.array(FunctionRow),
  interrupts: z.array(InterruptRow).optional(),
});
export type ThreadReport = z.infer<typeof ThreadReport>;

export const Report = z.object({
  ...head('ptflame-report'),
  trace: Trace,
  functions: z.array(FunctionRow),
  /** Only if requested. */
  interrupts: z.array(InterruptRow).optional(),
  /** Only if requested. */
  threads: z.array(ThreadReport).optional(),
  quality: QualityPart,
});
export type Report = z.infer<typeof Report>;
