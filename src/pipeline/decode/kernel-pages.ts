/**
 * Finds the pages of the kernel's code that a recording ran, by decoding it: a pack needs no others.
 */
import { openPath } from '../../host/files.js';
import { nextTurn } from '../../host/turns.js';
import type { OffsetRange } from '../../symbols/bounds.js';
import { KERNEL_FILE } from '../../symbols/kallsyms.js';
import { decodePlan } from './decode-plan.js';
import { RecordingDecoder } from './decode-task.js';
import { decodeContext, type EncodedRecording } from './encoded-recording.js';

const PAGE_BYTES = 4096;
/** The headers of the kernel's file, which say where its segments are. */
const HEADERS: OffsetRange = { start: 0, end: PAGE_BYTES };

/** Returns the ranges of the kernel's file that decoding needs, in any order. */
export async function kernelPages(encoded: EncodedRecording, signal: AbortSignal): Promise<OffsetRange[]> {
  const pages = new Map<number, OffsetRange>();
  const onRead = (file: string, start: number, bytes: number) => {
    if (file === KERNEL_FILE) pages.set(start, { start, end: start + bytes });
  };
  const recording = openPath(encoded.path);
  const context = { ...decodeContext(encoded, recording.ref, decodePlan(encoded), 0n), pageBytes: PAGE_BYTES };
  const decoder = new RecordingDecoder(context, onRead);
  try {
    const memory = decoder.ownMemory();
    for (const [cpu, { trace }] of context.cpus.entries())
      for (const stream of trace.streams.keys())
        for (const _ of decoder.decodeStream(cpu, stream, memory)) {
          await nextTurn(); // lets signals arrive
          signal.throwIfAborted();
        }
  } finally {
    decoder.close();
    recording.close();
  }
  return [HEADERS, ...pages.values()];
}
