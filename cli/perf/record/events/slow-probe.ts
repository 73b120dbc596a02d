/**
 * Warns of probes that cost much at each hit. On x86-64, the kernel emulates nops, pushes of registers and relative jumps and
 * calls; it executes any other probed instruction in a copy and traps again behind it. docs/recording.md has the costs.
 */
import { open } from 'node:fs/promises';
import type { Uprobe } from '../../machine/uprobes.js';

const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const INSTRUCTION_BYTES = 15;

/** Returns null if the probe is fast, or if that is unknown. */
export async function slowProbeWarning({ name, file, offset, isReturn }: Uprobe): Promise<string | null> {
  if (process.arch !== 'x64' || isReturn) return null;
  const code = await codeAt(file, offset).catch(() => null);
  if (code === null || code.length === 0 || isEmulated(code)) return null;
  const isEndbr = ENDBR64.every((byte, index) => code[index] === byte);
  const remedy =
    isEndbr && isEmulated(code.subarray(ENDBR64.length)) ? `; ${ENDBR64.length} bytes later it would be fast` : '';
  return `warning: the probe ${name} is at a slow instruction: 10 to 25 µs a hit instead of 1 to 2${remedy}`;
}

async function codeAt(path: string, offset: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(INSTRUCTION_BYTES + ENDBR64.length),
      0,
      undefined,
      offset,
    );
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Returns whether the kernel emulates the first instruction. */
export function isEmulated(code: Uint8Array): boolean {
  const at = code.findIndex((byte) => byte !== 0x66);
  const [first = 0, second = 0] = code.subarray(Math.max(at, 0));
  if (at > 0) return first === 0x90 || (first === 0x0f && second === 0x1f);
  const isPush = (byte: number) => byte >= 0x50 && byte <= 0x57;
  const isJump = first === 0xeb || first === 0xe9 || (first >= 0x70 && first <= 0x7f);
  if (first === 0x0f) return second === 0x1f || (second >= 0x80 && second <= 0x8f);
  return first === 0x90 || first === 0xe8 || isJump || isPush(first) || (first === 0x41 && isPush(second));
}
