/**
 * Prepares the text after the time of every line that a program's trace can have.
 */
import { type Program, type ProgramFunction, resumeOffset } from './program.js';

export interface LineTexts {
  readonly bytes: Buffer;
  /** Text n is at bytes `start[n]` to `start[n + 1]`. */
  readonly start: Int32Array;
}

/** Texts of an edge: the call, and the return by each of the two `ret` instructions. */
export const callText = (edge: number): number => edge * 3;
export const returnText = (edge: number, which: 0 | 1): number => edge * 3 + 1 + which;
/** Texts of a function: the trace stops in it, and resumes. */
export const stopText = (program: Program, row: number): number => program.edges.length * 3 + row * 2;
export const resumeText = (program: Program, row: number): number => stopText(program, row) + 1;

export function lineTexts(program: Program): LineTexts {
  const texts: Buffer[] = [];
  const add = (kind: string, from: string, to: string) =>
    texts.push(Buffer.from(`:   ${kind.padEnd(21)}  ${from} => ${to}\n`));
  for (const { caller, callee, offset, lengthBytes } of program.edges) {
    add('call', location(caller, offset), location(callee, 0));
    for (const end of callee.returnOffsets)
      add('return', location(callee, end), location(caller, offset + lengthBytes));
  }
  for (const fn of program.functions) {
    add(fn.isSyscall ? 'tr end  syscall' : 'tr end  async', location(fn, fn.stopOffset), NOWHERE);
    add('tr strt', NOWHERE, location(fn, resumeOffset(fn)));
  }
  const start = new Int32Array(texts.length + 1);
  texts.forEach((text, row) => {
    start[row + 1] = start[row] + text.length;
  });
  return { bytes: Buffer.concat(texts), start };
}

const NOWHERE = `${'0'.padStart(16)} [unknown]`;

function location({ name, start }: ProgramFunction, offset: number): string {
  return `${(start + offset).toString(16).padStart(16)} ${name}+0x${offset.toString(16)}`;
}
