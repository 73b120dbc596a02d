/**
 * What stands beside a recording, in OUT.ptflame.json: how, where and when it was made. docs/recording.md explains it.
 */
import * as z from 'zod';

export const RecordingNotes = z.object({
  format: z.literal('ptflame-recording'),
  /** Of this format. */
  version: z.literal(1),
  ptflame: z.string(),
  perf: z.string(),
  host: z.string(),
  kernel: z.string(),
  cpu: z.string(),
  /** ISO 8601, UTC; when perf began to record, by the wall clock. */
  startedAt: z.string(),
  durationNs: z.number(),
  endedBy: z.enum(['time', 'interrupt', 'target']),
  /** perf and its arguments, as they were run. */
  command: z.array(z.string()),
  event: z.string(),
  auxBytes: z.number(),
  buffers: z.number(),
  snapshots: z.number(),
  /** What was recorded was a command of its own: how it ended. null: it was not, or was stopped with the recording. */
  workload: z
    .object({
      command: z.array(z.string()),
      exitCode: z.number().nullable(),
      signal: z.string().nullable(),
    })
    .nullable(),
});
export type RecordingNotes = z.infer<typeof RecordingNotes>;
