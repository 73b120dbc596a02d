/**
 * Finds the instructions by which a function ends: its returns, and its jumps to other functions.
 */

import { KIND_JCC, KIND_JUMP, KIND_JUMP_INDIRECT, KIND_RETURN } from '../../decode/kernel/layout.js';
import { newKernel } from '../../decode/kernel.js';
import { DISK_FILES } from '../../symbols/symbolizer.js';

/** Offsets in the file. */
export interface FunctionExits {
  readonly returns: readonly number[];
  /** Where its jumps to other functions go. */
  readonly jumpTargets: readonly number[];
  /** Jumps whose target is not in the code: within the function by a table, or to any other one. */
  readonly indirectJumps: number;
}

interface Range {
  readonly start: number;
  readonly end: number; // exclusive
}

const MAX_INSTRUCTION_BYTES = 15;
/** The largest functions have a tenth of this. */
const MAX_CODE_BYTES = 16 * 1024 * 1024;

/** `code`: the offsets of its parts. Returns null if not all of it is in the file, or if it is no x86-64 code. */
export function functionExits(path: string, code: readonly Range[]): FunctionExits | null {
  const file = DISK_FILES.open(path);
  if (file === null) return null;
  const exits = { returns: [] as number[], jumpTargets: [] as number[], indirectJumps: 0 };
  const isWithin = (offset: number) => code.some(({ start, end }) => offset >= start && offset < end);
  const isRead = code.every((range) => {
    const bytes = range.end - range.start;
    if (bytes > MAX_CODE_BYTES) return false;
    return eachInstruction(file.read(range.start, bytes), bytes, (at, end, kind, target) => {
      if (kind === KIND_RETURN) exits.returns.push(range.start + at);
      else if (kind === KIND_JUMP_INDIRECT) exits.indirectJumps++;
      else if ((kind === KIND_JUMP || kind === KIND_JCC) && !isWithin(range.start + end + target))
        exits.jumpTargets.push(range.start + end + target);
    });
  });
  file.close();
  return isRead ? exits : null;
}

/** `distance`: of a direct jump, from the end of the instruction. */
type OnInstruction = (at: number, end: number, kind: number, distance: number) => void;

/** Returns whether all bytes are instructions. */
function eachInstruction(code: Uint8Array, bytes: number, onInstruction: OnInstruction): boolean {
  if (code.length < bytes || bytes === 0) return false;
  const kernel = newKernel(
    () => 0,
    () => false,
    () => 0,
  );
  const start = kernel.space(bytes + MAX_INSTRUCTION_BYTES);
  new Uint8Array(kernel.memory.buffer, start, bytes).set(code);
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  for (let at = 0; at < bytes; ) {
    const length = kernel.decodeInstruction(start + at, Math.min(bytes - at, MAX_INSTRUCTION_BYTES));
    if (length === 0) return false;
    const end = at + length;
    // "eb 08", "f2 eb 08" and "75 08" have one byte of distance, "e9 08 00 00 00" and "0f 85 08 00 00 00" four
    onInstruction(at, end, kernel.instructionKind(), length < 5 ? view.getInt8(end - 1) : view.getInt32(end - 4, true));
    at = end;
  }
  return true;
}
