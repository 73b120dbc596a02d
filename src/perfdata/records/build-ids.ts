/**
 * Reads perf's list of build ids of the files whose code ran.
 */

import { hexOf, textOf } from '../file/sections.js';
import type { BuildId } from '../recording.js';
import { isKernelMode, MAX_BUILD_ID_BYTES } from './kernel-records.js';

const HEAD_BYTES = 8;
const BUILD_ID_AT = 12; // after the pid
const SIZE_AT = BUILD_ID_AT + MAX_BUILD_ID_BYTES;
const FILE_AT = 36;
const MISC_HAS_SIZE = 1 << 15;

/** @throws RangeError if the list is truncated or malformed */
export function readBuildIds(view: DataView): BuildId[] {
  const ids: BuildId[] = [];
  for (let at = 0; at < view.byteLength; ) {
    const sizeBytes = view.getUint16(at + 6, true);
    if (sizeBytes < Math.max(FILE_AT, HEAD_BYTES)) throw new RangeError('an entry without a file');
    ids.push(readBuildId(new DataView(view.buffer, view.byteOffset + at, sizeBytes)));
    at += sizeBytes;
  }
  return ids;
}

function readBuildId(entry: DataView): BuildId {
  const misc = entry.getUint16(4, true);
  const length = misc & MISC_HAS_SIZE ? Math.min(entry.getUint8(SIZE_AT), MAX_BUILD_ID_BYTES) : MAX_BUILD_ID_BYTES;
  return {
    file: textOf(new DataView(entry.buffer, entry.byteOffset + FILE_AT, entry.byteLength - FILE_AT)),
    buildId: hexOf(new DataView(entry.buffer, entry.byteOffset + BUILD_ID_AT, length)),
    isKernel: isKernelMode(misc),
  };
}
