/**
 * Kinds of branches, by the bytes of x86-64 instructions, as far as user programs have them.
 */

export const BranchOf = { none: 0, jcc: 1, direct: 2, call: 3, indirect: 4, indirectCall: 5, ret: 6, far: 7 } as const;

const PREFIXES = new Set([0x66, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x65]);

export function branchOf(bytes: Buffer): number {
  let at = 0;
  while (PREFIXES.has(bytes[at] as number)) at++;
  if (((bytes[at] as number) & 0xf0) === 0x40) at++;
  const opcode = bytes[at] as number;
  const next = bytes[at + 1] ?? 0;
  if ((opcode & 0xf0) === 0x70 || (opcode & 0xfc) === 0xe0) return BranchOf.jcc;
  if (opcode === 0x0f) return (next & 0xf0) === 0x80 ? BranchOf.jcc : next === 0x05 ? BranchOf.far : BranchOf.none;
  if (opcode === 0xe9 || opcode === 0xeb) return BranchOf.direct;
  if (opcode === 0xe8) return BranchOf.call;
  if (opcode === 0xc2 || opcode === 0xc3) return BranchOf.ret;
  if (opcode !== 0xff) return BranchOf.none;
  const kind = (next >> 3) & 7;
  return kind === 2 ? BranchOf.indirectCall : kind === 4 ? BranchOf.indirect : BranchOf.none;
}
