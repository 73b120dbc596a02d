/**
 * Where perf walks differently from the CPU, and so do we: docs/decoder.md has the same table.
 */
import { KIND_NONE } from '../../src/decode/wasm/layout.js';
import type { NamedInstruction } from './iced-decoder.js';
import type { Decoded } from './own-instructions.js';

const PREFIXES = new Set([0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65]);
const MAX_PREFIXES = 4;

interface Difference {
  readonly found: Decoded;
  readonly expected: NamedInstruction;
  /** Offset of the first byte that is no prefix, and of the opcode's, which may follow a REX. */
  readonly first: number;
  readonly opcode: number;
  readonly bytes: Uint8Array;
}

interface Rule {
  readonly name: string;
  readonly explains: (difference: Difference) => boolean;
}

/** Opcodes that perf 6.1 has not in its table: FMA4, CMPccXADD, AVX-VNNI-INT, AVX-IFMA, AVX-NE-CONVERT, SHA512, SM3, SM4, AMX. */
const UNKNOWN_TO_PERF =
  /^(?:Cmpn?(?:b|be|l|le|o|p|s|z)xadd|Vfn?m(?:add|sub|addsub|subadd)[ps][sd]|Vpermil2p[sd]|Vpdp[bw][su][su]ds?|Vpmadd52[hl]uq|V(?:bcst|cvt)ne\w+|Vsha512\w+|Vsm[34]\w+|T(?:cmm\w+|dpfp)16ps)$/;

/** The first that explains a difference is its class. */
const RULES: readonly Rule[] = [
  {
    name: 'a prefix after REX is an opcode',
    explains: ({ found, first, opcode, bytes }) =>
      opcode > first && (isPrefix(bytes[opcode]) || isRex(bytes[opcode])) && found.length === opcode + 1,
  },
  {
    name: 'the fifth different prefix is an opcode',
    explains: ({ found, first, bytes }) =>
      new Set(bytes.subarray(0, found.length)).size === MAX_PREFIXES + 1 && found.length <= first,
  },
  {
    name: 'VEX opcodes that perf 6.1 does not know are refused',
    explains: ({ found, expected, first, bytes }) =>
      found.length === 0 && [0xc4, 0xc5].includes(bytes[first] ?? 0) && UNKNOWN_TO_PERF.test(expected.name),
  },
  {
    name: 'XOP, of AMD, is read as POP',
    explains: ({ found, first, bytes }) => bytes[first] === 0x8f && found.kind === KIND_NONE,
  },
  {
    name: 'EXTRQ and INSERTQ, of AMD, are refused, or have no ModRM',
    explains: ({ found, expected }) =>
      /^(?:Extrq|Insertq)$/.test(expected.name) && found.length < expected.length && found.kind === KIND_NONE,
  },
  {
    name: 'MOV of control and debug registers has a ModRM as for memory',
    explains: ({ found, expected, opcode, bytes }) =>
      bytes[opcode] === 0x0f && (bytes[opcode + 1] ?? 0) >> 2 === 8 && found.length > expected.length,
  },
  {
    name: 'UD0, reserved NOPs and AADD have no ModRM',
    explains: (difference) => /^(?:Ud0|Reservednop|Aadd)$/.test(difference.expected.name) && hasNoModRm(difference),
  },
  {
    name: 'opcodes of map 0F have no ModRM with a prefix that they do not know',
    explains: (difference) =>
      [...difference.bytes.subarray(0, difference.first)].some(isMandatory) && hasNoModRm(difference),
  },
  {
    name: 'the last prefix selects an opcode of map 0F',
    explains: ({ found, expected, first, opcode, bytes }) =>
      bytes[opcode] === 0x0f &&
      [...bytes.subarray(0, first)].some(isMandatory) &&
      !isMandatory(bytes[first - 1]) &&
      found.length < expected.length &&
      found.kind === KIND_NONE,
  },
];

/** Returns the class of a difference; null: it is not known. */
export function knownDifference(bytes: Uint8Array, found: Decoded, expected: NamedInstruction): string | null {
  const first = bytes.findIndex((byte) => !isPrefix(byte));
  const opcode = isRex(bytes[first]) ? first + 1 : first;
  return RULES.find(({ explains }) => explains({ found, expected, first, opcode, bytes }))?.name ?? null;
}

/** It ends after an opcode of map 0F, 0F38 or 0F3A. */
function hasNoModRm({ found, opcode, bytes }: Difference): boolean {
  const opcodeBytes = [0x38, 0x3a].includes(bytes[opcode + 1] ?? 0) ? 3 : 2;
  return bytes[opcode] === 0x0f && found.length === opcode + opcodeBytes && found.kind === KIND_NONE;
}

function isPrefix(byte = 0): boolean {
  return PREFIXES.has(byte);
}

/** Selects one of several opcodes. */
function isMandatory(byte = 0): boolean {
  return byte === 0x66 || byte === 0xf2 || byte === 0xf3;
}

function isRex(byte = 0): boolean {
  return byte >> 4 === 4;
}
