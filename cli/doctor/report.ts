/**
 * What `ptflame doctor --json` prints. docs/recording.md explains it.
 */
import * as z from 'zod';

export const Check = z.object({
  /** Its name; names stay, texts may be reworded. */
  check: z.enum([
    'cpu',
    'pmu',
    'times',
    'filters',
    'paranoid',
    'rights',
    'mlock',
    'kernel-code',
    'perf',
    'perf-build',
    'memory',
    'disk',
  ]),
  /** fail: no recording at all; warn: some kinds of recording. */
  level: z.enum(['ok', 'warn', 'fail']),
  text: z.string(),
  /** A command to copy, or what else to do; null if nothing is to be done. */
  remedy: z.string().nullable(),
});
export type Check = z.infer<typeof Check>;

export const DoctorReport = z.object({
  version: z.literal(1),
  /** No check failed. */
  canRecord: z.boolean(),
  checks: z.array(Check),
});
export type DoctorReport = z.infer<typeof DoctorReport>;
