/**
 * Executes the program of a line table (DWARF 5, 6.2.5), which lists where lines begin, in sequences of ascending addresses.
 */
import type { ByteReader } from './byte-reader.js';
import { type LineHeader, readOldFile } from './line-header.js';

/** A row; with `isEnd`, its address is the first one after the sequence. */
export type OnRow = (address: number, file: number, line: number, isEnd: boolean) => void;

const Standard = {
  Copy: 1,
  AdvancePc: 2,
  AdvanceLine: 3,
  SetFile: 4,
  ConstAddPc: 8,
  FixedAdvancePc: 9,
} as const;
const Extended = { EndSequence: 1, SetAddress: 2, DefineFile: 3 } as const;

/** The reader is at the program, and its bytes end with it. Each step reads a byte at least. @throws DwarfFault */
export function runLineProgram(reader: ByteReader, header: LineHeader, onRow: OnRow): void {
  new LineMachine(reader, header, onRow).run();
}

class LineMachine {
  private readonly reader: ByteReader;
  private readonly header: LineHeader;
  private readonly onRow: OnRow;
  private address = 0;
  private file = 1;
  private line = 1;

  constructor(reader: ByteReader, header: LineHeader, onRow: OnRow) {
    this.reader = reader;
    this.header = header;
    this.onRow = onRow;
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

  private emit(isEnd = false): void {
    this.onRow(this.address, this.file, this.line, isEnd);
  }

  private advance(operations: number): void {
    this.address += operations * this.header.minInstructionBytes;
  }

  private special(opcode: number): void {
    const { opcodeBase, lineBase, lineRange } = this.header;
    const adjusted = opcode - opcodeBase;
    this.advance(Math.floor(adjusted / lineRange));
    this.line += lineBase + (adjusted % lineRange);
    this.emit();
  }

  private standard(opcode: number): void {
    const { reader, header } = this;
    switch (opcode) {
      case Standard.Copy:
        return this.emit();
      case Standard.AdvancePc:
        return this.advance(reader.uleb());
      case Standard.AdvanceLine:
        this.line += reader.sleb();
        return;
      case Standard.SetFile:
        this.file = reader.uleb();
        return;
      case Standard.ConstAddPc:
        return this.advance(Math.floor((255 - header.opcodeBase) / header.lineRange));
      case Standard.FixedAdvancePc:
        this.address += reader.u16();
        return;
      default: // columns, marks of statements and prologues, and what later versions add
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
    this.emit(true);
    this.address = 0;
    this.file = 1;
    this.line = 1;
  }
}
