/**
 * The bytes of a stream: trace records one after another, of which a window is in memory.
 */
import { MAX_LOOK_AHEAD, RECORD_BYTES, RECORD_END, RECORD_REFERENCE } from '../layout';
import { Column } from '../memory';

/** Trace records in order: where each ends in the stream, and its reference tick. */
export const records = changetype<Column>(memory.data(offsetof<Column>(), 8));
let record: usize = 0;

/** The next byte; the end of the record, or of what is there of it. */
export let pos: usize = 0;
export let end: usize = 0;
/** The record ends at `end`. */
export let isWhole: bool = false;
export let windowEnd: usize = 0;
let windowStart: usize = 0;
let windowOffset: u64 = 0;
/** The stream ends at `windowEnd`. */
let isLastWindow: bool = false;

/** Before the first window of a stream. */
export function enterStream(): void {
  record = records.start;
}

/** `offset`: that of the window's first byte in the stream. */
export function enterWindow(start: usize, bytes: usize, offset: u64, last: bool): void {
  windowStart = start;
  windowEnd = start + bytes;
  windowOffset = offset;
  isLastWindow = last;
  pos = start;
}

/** Goes to the record that holds `pos`. As perf does: no packet continues in the next record. */
export function enterRecord(): void {
  const offset = offsetAt(pos);
  while (record + RECORD_BYTES < records.start + records.used && load<u64>(record, RECORD_END) <= offset)
    record += RECORD_BYTES;
  const left = load<u64>(record, RECORD_END) - offset;
  const fits = left <= <u64>(windowEnd - pos);
  end = fits ? pos + <usize>left : windowEnd;
  isWhole = fits || isLastWindow;
}

/** The offset in the stream of a byte of the window. */
export function offsetAt(at: usize): u64 {
  return windowOffset + (at - windowStart);
}

export function recordReference(): u64 {
  return load<u64>(record, RECORD_REFERENCE);
}

export function skip(bytes: usize): void {
  pos += bytes;
}

export function bytesConsumed(): usize {
  return pos - windowStart;
}

export function isStreamEnd(): bool {
  return isLastWindow && pos >= windowEnd;
}

/** Bytes after the window may decide what is looked for: a window that begins here, or a larger one, would have them. */
export function canSeeMore(): bool {
  return !isWhole && (pos !== windowStart || windowEnd - windowStart < <usize>MAX_LOOK_AHEAD);
}

export function hasWholeStream(): bool {
  return isLastWindow;
}
