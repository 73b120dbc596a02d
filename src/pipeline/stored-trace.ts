/**
 * Opens a trace file as an input and checks it.
 */

import { FileFault } from '../codec/file-fault.js';
import { interruptibleNow } from '../host/turns.js';
import type { OwnFile } from '../model/open-file.js';
import { formatCount } from '../render/format.js';
import { blockFault } from '../trace/blocks.js';
import { FileBytes, readTraceFile, type StoredContents, traceFileRefusal } from '../trace/file/read.js';
import { salvageTraceFile } from '../trace/file/salvage.js';
import { openFile } from './open-text.js';

/** An imported trace. Its file is open and can be read once. */
export interface StoredTrace {
  readonly name: string;
  readonly sizeBytes: number;
  readonly stored: StoredContents & {
    readonly file: OwnFile;
    /** What salvaging lost, in words; null: nothing. */
    readonly lost: string | null;
  };
}

export interface OpenStoredOptions {
  /** Reads what is left of a damaged file. Default: false, it is refused. */
  readonly salvage?: boolean;
}

/**
 * Opens a trace file. What all threads share is read and checked now, their events when they are replayed.
 *
 * @throws PtflameError INPUT_UNREADABLE, NEWER_VERSION or TRACE_FILE_DAMAGED
 */
export function openStoredTrace(path: string, { salvage = false }: OpenStoredOptions = {}): StoredTrace {
  const file = openFile(path);
  try {
    const bytes = new FileBytes(file);
    const read = interruptibleNow(() => (salvage ? salvaged(bytes) : { ...readTraceFile(bytes), lost: null }));
    return { name: path, sizeBytes: bytes.sizeBytes, stored: { file, ...read } };
  } catch (error) {
    file.close();
    throw asFileRefusal(error, path, salvage);
  }
}

function asFileRefusal(error: unknown, name: string, isSalvaged: boolean): unknown {
  return error instanceof FileFault ? traceFileRefusal(error, name, { isSalvaged }) : error;
}

/**
 * Turns the fault of what was not read when the file was opened into a refusal; returns other errors as they are. That of a
 * block comes from the worker that read it.
 */
export function asLaterRefusal(error: unknown, inputs: readonly { readonly name: string }[]): unknown {
  const message = blockFault(error);
  return asFileRefusal(message === null ? error : new FileFault('damaged', message), inputs[0]?.name ?? '', false);
}

function salvaged(file: FileBytes): Omit<StoredTrace['stored'], 'file'> {
  const { contents, threads, outlines, keptEvents, ofEvents, isSideLost, areSamplesLost } = salvageTraceFile(file);
  const parts = [
    ...(keptEvents < ofEvents ? [`salvaged ${formatCount(keptEvents)} of ${formatCount(ofEvents)} events`] : []),
    ...(isSideLost ? ['names, switches and errors are lost'] : []),
    ...(areSamplesLost ? ['samples are lost'] : []),
  ];
  return { contents, threads, outlines, lost: parts.length === 0 ? null : parts.join('; ') };
}
