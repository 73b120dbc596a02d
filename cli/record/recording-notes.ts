/**
 * Notes on how, where and when a recording was made, in OUT.ptflame.json next to it. docs/recording.md explains them.
 */
import * as z from 'zod';
import { notesOf } from '../../src/perfdata/open-recording.js';

export const RecordingNotes = z.object({
  format: z.literal('ptflame-recording'),
  /** Version of this format. */
  version: z.literal(1),
  ptflame: z.string(),
  perf: z.string(),
  host: z.string(),
  kernel: z.string(),
  cpu: z.string(),
  /** Wall-clock time at which perf began to record: ISO 8601, UTC. */
  startedAt: z.string(),
  durationNs: z.number(),
  endedBy: z.enum(['time', 'interrupt', 'target']),
  /** perf and its arguments, as run. */
  command: z.array(z.string()),
  /** Intel PT; empty: not recorded. */
  event: z.string(),
  /** Tracepoints in the same file. */
  tracepoints: z.array(z.string()).default([]),
  /** Probes, as passed to `--probe`. */
  probes: z.array(z.string()).default([]),
  /** perf and its arguments for the recording of wakings; null: not recorded. */
  wakings: z.array(z.string()).nullable().default(null),
  auxBytes: z.number(),
  buffers: z.number(),
  snapshots: z.number(),
  /** How a recorded command ended; null if none was recorded, or if it was stopped with the recording. */
  workload: z
    .object({
      command: z.array(z.string()),
      exitCode: z.number().nullable(),
      signal: z.string().nullable(),
    })
    .nullable(),
});
export type RecordingNotes = z.infer<typeof RecordingNotes>;

/** Returns the notes next to a recording; null if there are none, or the file holds something else. */
export function readNotes(recording: string): RecordingNotes | null {
  try {
    return RecordingNotes.parse(JSON.parse(notesOf(recording) ?? ''));
  } catch {
    return null;
  }
}
