/**
 * What is known of a trace as a whole, as JSON in its file.
 */
import * as z from 'zod';
import { TraceFault } from './fault.js';

const whole = z.number().int();
const count = whole.min(0);
const text = z.string();

export const TraceFileMeta = z.object({
  /** perf's clock at time 0 of the file; null if the trace has no times. */
  originSeconds: count.nullable(),
  /** Over all threads that were read, selected or not. */
  startNs: z.number(),
  endNs: z.number(),
  counts: z.object({ lines: count, events: count, gapLines: count, ignoredLines: count, damagedLines: count }),
  /** Of these events, those of threads and processors that nobody asked for: they are not in the file. */
  unwanted: count,
  timed: count,
  timeless: count,
  damaged: z.array(z.object({ input: text, line: count, text, reason: text })).max(10),
  broken: z.array(z.object({ input: text, reason: text })),
  unknownFlags: z.object({ words: z.array(text).max(100), lines: count }),
  recorded: z
    .object({
      host: text.nullable(),
      kernel: text.nullable(),
      cpu: text.nullable(),
      perf: text.nullable(),
      command: z.array(text).nullable(),
      startedAt: text.nullable(),
    })
    .nullable(),
});
export type TraceFileMeta = z.infer<typeof TraceFileMeta>;

export function metaBytes(meta: TraceFileMeta): Uint8Array {
  return Buffer.from(JSON.stringify(meta));
}

export function readMeta(bytes: Uint8Array): TraceFileMeta {
  const { success, data, error } = TraceFileMeta.safeParse(parsed(bytes));
  if (!success)
    throw new TraceFault('damaged', `its meta data: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
  const { counts, unwanted, startNs, endNs } = data;
  if (
    counts.lines !== counts.events + counts.gapLines + counts.ignoredLines + counts.damagedLines ||
    unwanted > counts.events
  )
    throw new TraceFault('damaged', 'its lines do not add up');
  if (!(startNs <= endNs)) throw new TraceFault('damaged', 'it ends before it begins');
  return data;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new TraceFault('damaged', 'its meta data are no JSON');
  }
}
