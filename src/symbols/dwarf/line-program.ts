/**
 * Executes the program of a line table (DWARF 5, 6.2.5), which lists where lines begin, in sequences of ascending addresses.
 */
import type { ByteReader } from './byte-reader.js';
import { type LineHeader, readOldFile } from './line-header.js';

export interface LineRow {
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
  private readonly reader: ByteReader;
  private readonly header: LineHeader;
  private readonly onRow: OnRow;
  address = 0;
  file = 1;
  line = 1;
  isStatement: boolean;
  isEnd = false;

  constructor(reader: ByteReader, header: LineHeader, onRow: OnRow) {
    this.reader = reader;
    this.header = header;
    this.onRow = onRow;
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
