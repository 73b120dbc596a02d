/**
 * What stands beside a recording, in OUT.ptflame.json: how, where and when it was made. docs/recording.md explains it.
 */
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { notesPath } from '../../input/data-file.js';

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

/** Far more than any command line. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What `ptflame record` wrote beside a recording; null if there is none, or something else. */
export async function readNotes(recording: string): Promise<RecordingNotes | null> {
  try {
    const path = notesPath(recording);
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) return null; // a pipe would keep us waiting
    return RecordingNotes.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
