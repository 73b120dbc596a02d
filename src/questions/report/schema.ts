/**
 * zod schema of the JSON that `ptflame report` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { InferredBy, QualityPart } from '../../profile-file/schema.js';
import { calls, durations, head, name, ns, outsideSelf, Trace, thread } from '../schema.js';

export const FunctionRow = z.object({
  ...name,
  /** A kind of stop: `[syscall]`, `[untraced]`, `[off-cpu]`, `[preempted]`, `[lost]`. Its calls are stops. */
  isStop: z.boolean(),
  /** Inlined, as `--inline` asked for: its calls are not counted, and its time is that of what its code calls. */
  isInlined: z.literal(true).optional(),
  ...calls,
  selfNs: ns,
  outsideNs: ns,
  ...outsideSelf,
  onCpuNs: ns,
  inferredNs: ns,
  /** Why its time, and that of stops on it, is inferred; absent: it is not, or it is unknown why. */
  inferredBy: InferredBy.optional(),
  ...durations,
});
export type FunctionRow = z.infer<typeof FunctionRow>;

export const ThreadReport = z.object({
  ...thread,
  totalNs: ns,
  outsideNs: ns,
  onCpuNs: ns,
  functions: z.array(FunctionRow),
});
export type ThreadReport = z.infer<typeof ThreadReport>;

export const Report = z.object({
  ...head('ptflame-report'),
  trace: Trace,
  functions: z.array(FunctionRow),
  /** Only if requested. */
  threads: z.array(ThreadReport).optional(),
  quality: QualityPart,
});
export type Report = z.infer<typeof Report>;
