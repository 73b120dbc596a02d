/**
 * Executes the program of a line table (DWARF 5, 6.2.5), which lists where lines begin, in sequences of ascending addresses.
 */
import { type ByteReader, DwarfFault } from './byte-reader.js';
import { type AttributeValue, readForm } from './forms.js';
import type { DebugBudget } from './reading.js';

interface LineRow {
  readonly address: number;
  readonly file: number;
  /** 0: the code belongs to no line. */
  readonly line: number;
  /** Whether it is a place to stop at for a debugger: not the middle of a statement, nor code of several. */
  readonly isStatement: boolean;
  /** The address is the first one after the sequence. */
  readonly isEnd: boolean;
}

/** The row changes when the call has ended. */
export type OnRow = (row: LineRow) => void;

const Standard = {
  Copy: 1,
  AdvancePc: 2,
  AdvanceLine: 3,
  SetFile: 4,
  NegateStatement: 6,
  ConstAddPc: 8,
  FixedAdvancePc: 9,
} as const;
const Extended = { EndSequence: 1, SetAddress: 2, DefineFile: 3 } as const;

/** The reader is at the program, and its bytes end with it. Each step reads a byte at least. @throws DwarfFault */
export function runLineProgram(reader: ByteReader, header: LineHeader, onRow: OnRow): void {
  new LineMachine(reader, header, onRow).run();
}

class LineMachine implements LineRow {
  address = 0;
  file = 1;
  line = 1;
  isStatement: boolean;
  isEnd = false;

  constructor(
    private readonly reader: ByteReader,
    private readonly header: LineHeader,
    private readonly onRow: OnRow,
  ) {
    this.isStatement = header.isStatement;
  }

  run(): void {
    const { reader, header } = this;
    while (!reader.isAtEnd) {
      const opcode = reader.u8();
      if (opcode >= header.opcodeBase) this.special(opcode);
      else if (opcode === 0) this.extended();
      else this.standard(opcode);
    }
  }

  private advance(operations: number): void {
    this.address += operations * this.header.minInstructionBytes;
  }

  private special(opcode: number): void {
    const { opcodeBase, lineBase, lineRange } = this.header;
    const adjusted = opcode - opcodeBase;
    this.advance(Math.floor(adjusted / lineRange));
    this.line += lineBase + (adjusted % lineRange);
    this.onRow(this);
  }

  private standard(opcode: number): void {
    const { reader, header } = this;
    switch (opcode) {
      case Standard.Copy:
        return this.onRow(this);
      case Standard.AdvancePc:
        return this.advance(reader.uleb());
      case Standard.AdvanceLine:
        this.line += reader.sleb();
        return;
      case Standard.SetFile:
        this.file = reader.uleb();
        return;
      case Standard.NegateStatement:
        this.isStatement = !this.isStatement;
        return;
      case Standard.ConstAddPc:
        return this.advance(Math.floor((255 - header.opcodeBase) / header.lineRange));
      case Standard.FixedAdvancePc:
        this.address += reader.u16();
        return;
      default: // columns, marks of blocks and prologues, and what later versions add
        for (let operand = header.operandCounts[opcode - 1]; operand > 0; operand--) reader.uleb();
    }
  }

  private extended(): void {
    const { reader, header } = this;
    const bytes = reader.uleb();
    const at = reader.skip(bytes);
    if (bytes === 0) return;
    const next = reader.at;
    reader.at = at;
    const opcode = reader.u8();
    if (opcode === Extended.EndSequence) this.endSequence();
    else if (opcode === Extended.SetAddress && bytes === 9) this.address = reader.u64();
    else if (opcode === Extended.DefineFile) {
      const file = readOldFile(reader);
      if (file !== null) header.files.push(file);
    }
    reader.at = next;
  }

  private endSequence(): void {
    this.isEnd = true;
    this.onRow(this);
    this.isEnd = false;
    this.address = 0;
    this.file = 1;
    this.line = 1;
    this.isStatement = this.header.isStatement;
  }
}

/** Reads the header of a line table: how its program is encoded, and its files (DWARF 5, 6.2.4). */
interface LineFile {
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
function readOldFile(reader: ByteReader): LineFile | null {
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
