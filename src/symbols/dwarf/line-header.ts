/**
 * Reads the header of a line table: how its program is encoded, and its files (DWARF 5, 6.2.4).
 */
import type { DebugBudget } from './budget.js';
import { type ByteReader, DwarfFault } from './byte-reader.js';
import { type AttributeValue, readForm } from './forms.js';

export interface LineFile {
  readonly name: AttributeValue;
  readonly directory: number;
}

export interface LineHeader {
  readonly version: number;
  readonly minInstructionBytes: number;
  /** Whether rows begin statements, unless the program says otherwise. */
  readonly isStatement: boolean;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Operands of each standard opcode, from 1 on. */
  readonly operandCounts: Uint8Array;
  /** From version 5 on, the first one is that of the unit. Before, that one is not listed. */
  readonly directories: readonly AttributeValue[];
  /** From version 5 on counted from 0, before from 1. */
  readonly files: LineFile[];
  /** Offset in the reader's bytes. */
  readonly programAt: number;
}

const MIN_VERSION = 2;
const MAX_VERSION = 5;
const ADDRESS_BYTES = 8;
/** Kinds of contents of an entry. */
const PATH = 1;
const DIRECTORY_INDEX = 2;
/** A unit has thousands at most. */
const MAX_ENTRIES = 2 ** 20;

/** The reader is after the length, and its bytes end with the table. @throws DwarfFault */
export function readLineHeader(reader: ByteReader, budget: DebugBudget): LineHeader {
  const version = reader.u16();
  if (version < MIN_VERSION || version > MAX_VERSION) throw new DwarfFault('unknown version of a line table');
  if (version >= 5) reader.skip(2); // sizes of addresses and of segment selectors
  const headerBytes = reader.offset();
  const programAt = reader.at + headerBytes;
  const minInstructionBytes = reader.u8();
  const operations = version >= 4 ? reader.u8() : 1;
  const isStatement = reader.u8() !== 0;
  const lineBase = reader.i8();
  const lineRange = reader.u8();
  const opcodeBase = reader.u8();
  if (operations !== 1 || lineRange === 0 || opcodeBase === 0) throw new DwarfFault('not a line table of x86-64');
  const countsAt = reader.skip(opcodeBase - 1);
  const operandCounts = reader.bytes.subarray(countsAt, reader.at);
  const { directories, files } = version >= 5 ? readTables(reader, budget) : readOldTables(reader, budget);
  const encoding = { version, minInstructionBytes, isStatement, lineBase, lineRange, opcodeBase, operandCounts };
  return { ...encoding, directories, files, programAt };
}

type Tables = Pick<LineHeader, 'directories' | 'files'>;

function readOldTables(reader: ByteReader, budget: DebugBudget): Tables {
  const directories: AttributeValue[] = [];
  for (let text = reader.text(); text !== ''; text = reader.text()) {
    budget.spend();
    directories.push({ kind: 'text', text });
  }
  const files: LineFile[] = [];
  for (let file = readOldFile(reader); file !== null; file = readOldFile(reader)) {
    budget.spend();
    files.push(file);
  }
  return { directories, files };
}

/** Returns null at the end of the list. */
export function readOldFile(reader: ByteReader): LineFile | null {
  const text = reader.text();
  if (text === '') return null;
  const directory = reader.uleb();
  reader.uleb(); // when it was changed
  reader.uleb(); // its length
  return { name: { kind: 'text', text }, directory };
}

function readTables(reader: ByteReader, budget: DebugBudget): Tables {
  const directories = readEntries(reader, budget).map(({ name }) => name);
  return { directories, files: readEntries(reader, budget) };
}

const NO_NAME: AttributeValue = { kind: 'other' };

function readEntries(reader: ByteReader, budget: DebugBudget): LineFile[] {
  const format = Array.from({ length: reader.u8() }, () => [reader.uleb(), reader.uleb()] as const);
  const count = reader.uleb();
  if (count > MAX_ENTRIES) throw new DwarfFault('too many files');
  const sizes = { version: MAX_VERSION, addressBytes: ADDRESS_BYTES };
  const entries: LineFile[] = [];
  for (let row = 0; row < count; row++) {
    let [name, directory] = [NO_NAME, 0];
    budget.spend(1 + format.length);
    for (const [content, form] of format) {
      const value = readForm(reader, form, sizes, 0);
      if (content === PATH) name = value;
      if (content === DIRECTORY_INDEX && value.kind === 'number') directory = value.value;
    }
    entries.push({ name, directory });
  }
  return entries;
}
