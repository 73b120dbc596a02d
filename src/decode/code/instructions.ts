/**
 * Decodes instructions alone, without a trace.
 */

import { newKernel } from '../kernel.js';
import { KIND_JCC, KIND_JUMP, KIND_RETURN } from '../wasm/layout.js';

export interface Instruction {
  readonly isReturn: boolean;
  /** Where a direct jump goes, conditional or not, from the beginning of the code; null: it is none. */
  readonly jumpsTo: number | null;
}

const MAX_INSTRUCTION_BYTES = 15;

/** Calls `onInstruction` for each one, in order. Returns false for no code, and at the first bytes that are no instruction. */
export function eachInstruction(code: Uint8Array, onInstruction: (at: number, found: Instruction) => void): boolean {
  const kernel = newKernel(
    () => 0,
    () => false,
    () => 0,
  );
  const start = kernel.space(code.length + MAX_INSTRUCTION_BYTES);
  new Uint8Array(kernel.memory.buffer, start, code.length).set(code);
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  for (let at = 0; at < code.length; ) {
    const length = kernel.decodeInstruction(start + at, Math.min(code.length - at, MAX_INSTRUCTION_BYTES));
    if (length === 0) return false;
    const kind = kernel.instructionKind();
    const next = at + length;
    // "eb 08", "f2 eb 08" and "75 08" have one byte of distance, "e9 08 00 00 00" and "0f 85 08 00 00 00" four
    const distance = () => (length < 5 ? view.getInt8(next - 1) : view.getInt32(next - 4, true));
    const isJump = kind === KIND_JUMP || kind === KIND_JCC;
    onInstruction(at, { isReturn: kind === KIND_RETURN, jumpsTo: isJump ? next + distance() : null });
    at = next;
  }
  return code.length > 0;
}
