/**
 * Finds the instructions by which a function ends: its returns, and its jumps to other functions, as far as the code has their
 * targets.
 */
import { eachInstruction } from '../../decode/code-pages.js';
import type { SymbolFiles } from '../../symbols/symbol-files.js';

/** Offsets in the file. */
export interface FunctionExits {
  readonly returns: readonly number[];
  /** Where its jumps to other functions go. */
  readonly jumpTargets: readonly number[];
}

interface Range {
  readonly start: number;
  readonly end: number; // exclusive
}

/** A symbol of more is no function that a compiler made. */
const MAX_CODE_BYTES = 16 * 1024 * 1024;

/**
 * `code`: the offsets of its parts. Returns null if not all of it is in the file, or if it is more than x86-64 code: a probe that
 * was put at data would change it.
 */
export function functionExits(path: string, code: readonly Range[], files: SymbolFiles): FunctionExits | null {
  const file = files.open(path);
  if (file === null) return null;
  const starts = new Set<number>();
  const targets = new Set<number>();
  const returns: number[] = [];
  const isRead = code.every(({ start, end }) => {
    const bytes = end - start;
    if (bytes > MAX_CODE_BYTES) return false;
    const read = file.read(start, bytes);
    return (
      read.length === bytes &&
      eachInstruction(read, (at, instruction) => {
        starts.add(start + at);
        if (instruction.isReturn) returns.push(start + at);
        if (instruction.jumpsTo !== null) targets.add(start + instruction.jumpsTo);
      })
    );
  });
  file.close();
  const isWithin = (offset: number) => code.some(({ start, end }) => offset >= start && offset < end);
  const jumpTargets = [...targets].filter((target) => !starts.has(target));
  return isRead && !jumpTargets.some(isWithin) ? { returns, jumpTargets } : null;
}
