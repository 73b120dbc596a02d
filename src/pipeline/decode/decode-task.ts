/**
 * Decodes the trace of one CPU, in a worker or on the main thread.
 */

import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { type DecodedWindow, StreamDecoder } from '../../decode/decode-stream.js';
import type { Image, MappedCode } from '../../decode/images.js';
import type { Slot } from '../../decode/schedule.js';
import type { Timing } from '../../decode/settings.js';
import { DISK_FILES, type OpenSymbolFile } from '../../symbols/symbolizer.js';
import type { CpuTrace } from './decode-plan.js';

/** Plain data. */
export interface DecodeTask {
  /** The recording. */
  readonly path: string;
  readonly trace: CpuTrace;
  readonly timing: Timing;
  readonly originNs: bigint;
  readonly allBranches: boolean;
  readonly slots: readonly Slot[];
  readonly images: readonly Image[];
  /** Where the binaries are, by their recorded path (latin1); missing ones cannot be read. */
  readonly binaries: ReadonlyMap<string, string>;
}

/** Windows of a CPU's trace in order. */
export function* decodeWindows(task: DecodeTask): Generator<DecodedWindow> {
  const { path, trace, timing, originNs, allBranches, slots, images, binaries } = task;
  const files = new OpenFiles();
  const readCode = ({ file }: MappedCode, offset: number, bytes: number) => {
    const binary = binaries.get(file);
    return binary === undefined ? null : files.read(binary, offset, bytes);
  };
  const decoder = new StreamDecoder({ timing, originNs, allBranches, images, readCode });
  const fd = openSync(path, 'r');
  try {
    let row = 0;
    for (const stream of trace.streams) {
      const offsets = trace.fileOffsets.slice(row, row + stream.length);
      row += stream.length;
      yield* decoder.decode(stream, slots, (offset, into) => {
        into.fill(0); // of a file that became shorter, what is missing is padding
        for (const [index, record] of stream.entries()) {
          const from = Math.max(offset, record.offset);
          const to = Math.min(offset + into.length, record.offset + record.sizeBytes);
          if (from < to) readSync(fd, into, from - offset, to - from, (offsets[index] ?? 0) + from - record.offset);
        }
      });
    }
  } finally {
    closeSync(fd);
    files.close();
  }
}

/** Windows sent ahead of what the main thread has handled. */
const MAX_AHEAD = 4;

/** Sends the windows through a port, then null; waits for the other side to keep up. */
export async function decodeCpu({ port, ...task }: DecodeTask & { readonly port: MessagePort }): Promise<void> {
  let ahead = 0;
  for (const window of decodeWindows(task)) {
    if (ahead === MAX_AHEAD) await once(port, 'message');
    else ahead++;
    port.postMessage(window, [window.events.buffer as ArrayBuffer, window.newSites.rows.buffer as ArrayBuffer]);
  }
  port.postMessage(null);
  port.close();
}

/** Binaries that are open; null: cannot be opened. */
class OpenFiles {
  private readonly files = new Map<string, OpenSymbolFile | null>();

  read(path: string, offset: number, bytes: number): Uint8Array | null {
    let file = this.files.get(path);
    if (file === undefined) this.files.set(path, (file = DISK_FILES.open(path)));
    try {
      return file?.read(offset, bytes) ?? null;
    } catch {
      return null; // a failing disk: code that cannot be read is missing
    }
  }

  close(): void {
    for (const file of this.files.values()) file?.close();
  }
}
