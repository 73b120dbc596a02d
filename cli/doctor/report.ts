/**
 * The output of `ptflame doctor --json`. docs/recording.md explains it.
 */
import * as z from 'zod';

export const Check = z.object({
  /** The check's name. Names are stable; texts may change. */
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
    'waits',
    'probes',
    'leftovers',
  ]),
  /** fail: cannot record at all; warn: can record only in part. */
  level: z.enum(['ok', 'warn', 'fail']),
  text: z.string(),
  /** A command to copy or other advice; null if there is nothing to do. */
  remedy: z.string().nullable(),
});
export type Check = z.infer<typeof Check>;

export const DoctorReport = z.object({
  version: z.literal(1),
  /** True if no check failed. */
  canRecord: z.boolean(),
  checks: z.array(Check),
});
export type DoctorReport = z.infer<typeof DoctorReport>;
