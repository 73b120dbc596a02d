/**
 * `node dist/fuzz/instructions/iced.js [--amount 1000000] [--seed 1] [--show 10]`: compares lengths and kinds of random
 * instructions with those of iced-x86. What iced takes for no instruction only must not be longer than one can be.
 */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import {
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_JUMP,
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
} from '../../src/decode/kernel/layout.js';
import { Random } from '../random.js';
import { type Decoded, MAX_INSTRUCTION_BYTES, OwnInstructions } from './own-instructions.js';
import { randomInstruction } from './random-instructions.js';

/** What is used of iced-x86. */
interface Iced {
  readonly Decoder: new (bitness: number, bytes: Uint8Array, options: number) => IcedDecoder;
  readonly DecoderOptions: Readonly<Record<string, number>>;
  readonly Mnemonic: Readonly<Record<number, string>>;
}
interface IcedDecoder {
  decode(): IcedInstruction;
  free(): void;
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
const { values } = parseArgs({
  options: {
    amount: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
  },
});
const BY_NAME: ReadonlyMap<string, number> = new Map(
  [
    [KIND_SYSCALL, 'Syscall Sysenter'],
    [KIND_SYSRET, 'Sysret Sysretq Sysexit Sysexitq'],
    [KIND_IRET, 'Iret Iretd Iretq'],
    [KIND_INTERRUPT, 'Int Int3 Into'],
    [KIND_VMENTRY, 'Vmlaunch Vmresume'],
    [KIND_RETURN, 'Ret Retf'],
    [KIND_JCC, 'Loop Loope Loopne Jrcxz Jecxz Jcxz'],
  ].flatMap(([kind, names]) => (names as string).split(' ').map((name) => [name, kind as number] as const)),
);

const PREFIXES = new Set([0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65]);

const own = new OwnInstructions();
let valid = 0;
let different = 0;
const classes = new Map<string, number>();
for (let number = 0; number < Number(values.amount); number++) compare(number);
console.log(`${values.amount} cases, ${valid} instructions for iced-x86, ${different} differ`);
for (const [name, count] of [...classes].sort(([, a], [, b]) => b - a).slice(0, 40)) console.log(`${count} ${name}`);

function compare(number: number): void {
  const bytes = randomInstruction(new Random(Number(values.seed), number));
  own.load(bytes);
  const { length, kind } = own.decodeAt(0);
  if (length < 0 || length > MAX_INSTRUCTION_BYTES) throw new Error(`case ${number}: ${length} bytes`);
  const decoder = new iced.Decoder(64, bytes, iced.DecoderOptions['MPX'] as number);
  const instruction = decoder.decode();
  const expected = { length: instruction.length, kind: kindOf(instruction) };
  const name = iced.Mnemonic[instruction.mnemonic] ?? '';
  if (!instruction.isInvalid) {
    valid++;
    if (length !== expected.length || kind !== expected.kind) report(bytes, name, { length, kind }, expected);
  }
  instruction.free();
  decoder.free();
}

function report(bytes: Uint8Array, name: string, found: Decoded, expected: Decoded): void {
  const rule = ruleOfPerf(bytes, name, found.length === 0);
  const what = found.length === 0 ? 'refused' : found.length === expected.length ? 'kind' : 'length';
  const title = rule ?? `${what} ${name}`;
  classes.set(title, (classes.get(title) ?? 0) + 1);
  if (rule === null && different++ < Number(values.show))
    console.log(
      `${Buffer.from(bytes).toString('hex')} ${name}: ${found.length}, ${found.kind}; iced ${expected.length}, ${expected.kind}`,
    );
}

/** Where perf walks differently from the CPU: why; null: it does not, as far as known. */
function ruleOfPerf(bytes: Uint8Array, name: string, isRefused: boolean): string | null {
  const first = bytes.findIndex((byte) => !PREFIXES.has(byte));
  const isRex = (bytes[first] ?? 0) >> 4 === 4;
  const prefixes = new Set(bytes.subarray(0, first));
  if (isRex && (PREFIXES.has(bytes[first + 1] ?? 0) || (bytes[first + 1] ?? 0) >> 4 === 4))
    return 'a prefix after REX is an opcode';
  if (prefixes.size > 4) return 'the fifth different prefix is an opcode';
  const [map, second = 0] = bytes.subarray(isRex ? first + 1 : first);
  if (isRefused && /^(?:V|Cmp[a-z]+xadd)/.test(name))
    return 'VEX and EVEX opcodes that perf 6.1 does not know are refused';
  if (map === 0x8f) return 'XOP, of AMD, is read as POP';
  if (map !== 0x0f) return null;
  if (second >= 0x20 && second <= 0x23) return 'MOV of control registers has a ModRM as for memory';
  if ([0x66, 0xf2, 0xf3].some((prefix) => prefixes.has(prefix)))
    return 'opcodes of map 0F have no ModRM with a prefix that they do not know; the last prefix counts';
  return /^(?:Ud0|Reservednop|Aadd)$/i.test(name) ? `${name} has no ModRM` : null;
}

function kindOf(instruction: IcedInstruction): number {
  if (instruction.isCallNear) return KIND_CALL;
  if (instruction.isCallNearIndirect) return KIND_CALL_INDIRECT;
  if (instruction.isCallFar || instruction.isCallFarIndirect) return KIND_FAR_CALL;
  if (instruction.isJmpShortOrNear) return KIND_JUMP;
  if (instruction.isJmpNearIndirect) return KIND_JUMP_INDIRECT;
  if (instruction.isJmpFar || instruction.isJmpFarIndirect) return KIND_FAR_JUMP;
  if (instruction.isJccShortOrNear) return KIND_JCC;
  return BY_NAME.get(iced.Mnemonic[instruction.mnemonic] ?? '') ?? KIND_NONE;
}
