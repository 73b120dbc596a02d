/**
 * Instructions as iced-x86 decodes them.
 */
import { createRequire } from 'node:module';
import {
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_JUMP,
  KIND_FAR_RETURN,
  KIND_INTERRUPT,
  KIND_IRET,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NONE,
  KIND_RETURN,
  KIND_SYSCALL,
  KIND_SYSRET,
  KIND_VMENTRY,
} from '../../src/decode/wasm/layout.js';
import type { Decoded } from './own-instructions.js';

export interface NamedInstruction extends Decoded {
  /** The mnemonic, as iced-x86 writes it: "Vaddps". */
  readonly name: string;
}

/** What is used of iced-x86. */
interface Iced {
  readonly Decoder: new (
    bitness: number,
    bytes: Uint8Array,
    options: number,
  ) => { decode(): IcedInstruction; free(): void };
  readonly DecoderOptions: Readonly<Record<string, number>>;
  readonly Mnemonic: Readonly<Record<number, string>>;
}
interface IcedInstruction {
  readonly isInvalid: boolean;
  readonly length: number;
  readonly mnemonic: number;
  readonly isCallFarIndirect: boolean;
  readonly isCallFar: boolean;
  readonly isCallNear: boolean;
  readonly isCallNearIndirect: boolean;
  readonly isJmpFarIndirect: boolean;
  readonly isJmpFar: boolean;
  readonly isJmpShortOrNear: boolean;
  readonly isJmpNearIndirect: boolean;
  readonly isJccShortOrNear: boolean;
  free(): void;
}

const iced = createRequire(import.meta.url)('iced-x86') as Iced;
const BY_NAME: ReadonlyMap<string, number> = new Map(
  [
    [KIND_SYSCALL, 'Syscall Sysenter'],
    [KIND_SYSRET, 'Sysret Sysretq Sysexit Sysexitq'],
    [KIND_IRET, 'Iret Iretd Iretq'],
    [KIND_INTERRUPT, 'Int Int3 Into'],
    [KIND_VMENTRY, 'Vmlaunch Vmresume'],
    [KIND_RETURN, 'Ret'],
    [KIND_FAR_RETURN, 'Retf'],
    [KIND_JCC, 'Loop Loope Loopne Jrcxz Jecxz Jcxz'],
  ].flatMap(([kind, names]) => (names as string).split(' ').map((name) => [name, kind as number] as const)),
);

/** Returns the first instruction of some bytes; null: they are none. */
export function decodeByIced(bytes: Uint8Array): NamedInstruction | null {
  const decoder = new iced.Decoder(64, bytes, iced.DecoderOptions['MPX'] as number);
  const instruction = decoder.decode();
  const { isInvalid, length, mnemonic } = instruction;
  const name = iced.Mnemonic[mnemonic] ?? '';
  const decoded = isInvalid ? null : { length, kind: kindOf(instruction, name), name };
  instruction.free();
  decoder.free();
  return decoded;
}

function kindOf(instruction: IcedInstruction, name: string): number {
  if (instruction.isCallNear) return KIND_CALL;
  if (instruction.isCallNearIndirect) return KIND_CALL_INDIRECT;
  if (instruction.isCallFar || instruction.isCallFarIndirect) return KIND_FAR_CALL;
  if (instruction.isJmpShortOrNear) return KIND_JUMP;
  if (instruction.isJmpNearIndirect) return KIND_JUMP_INDIRECT;
  if (instruction.isJmpFar || instruction.isJmpFarIndirect) return KIND_FAR_JUMP;
  if (instruction.isJccShortOrNear) return KIND_JCC;
  return BY_NAME.get(name) ?? KIND_NONE;
}
