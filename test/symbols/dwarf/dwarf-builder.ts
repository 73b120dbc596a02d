/**
 * Builds debug information of DWARF 4: units, abbreviations and line tables, as right or as wrong as a test wants them.
 */
import { number, type SectionParts } from '../elf-builder.js';

export const LOW = 0x401000;
export const CODE_BYTES = 0x100;
export const Form = {
  Address: 0x01,
  Data4: 0x06,
  Text: 0x08,
  TextAt: 0x0e,
  Reference: 0x13,
  Offset: 0x17,
  Implicit: 0x21,
} as const;
export const Tag = { Unit: 0x11, Inlined: 0x1d, Function: 0x2e, Variable: 0x34 } as const;
export const LOW_PC = [0x11, Form.Address] as const;
export const HIGH_PC = [0x12, Form.Data4] as const;
export const RANGE = [LOW_PC, HIGH_PC];
export const range = Buffer.concat([number(8, LOW), number(4, CODE_BYTES)]);

export function uleb(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...uleb(Math.floor(value / 128))];
}

export function abbreviation(
  code: number,
  tag: number,
  hasChildren: boolean,
  forms: readonly (readonly number[])[],
): Buffer {
  return Buffer.from([
    ...uleb(code),
    ...uleb(tag),
    hasChildren ? 1 : 0,
    ...forms.flatMap((own) => own.flatMap(uleb)),
    0,
    0,
  ]);
}

/** A unit of DWARF 4 over all code; `line`: offset of its line table. */
export function unit(entries: Uint8Array, line: number, table = 0): Buffer {
  const body = Buffer.concat([number(2, 4), number(4, table), Buffer.from([8, 1]), range, number(4, line), entries]);
  return Buffer.concat([number(4, body.length), body]);
}

export const UNIT = abbreviation(1, Tag.Unit, true, [...RANGE, [0x10, Form.Offset]]);
/** Of the first entry within the unit. */
export const FIRST = unit(Buffer.alloc(0), 0).length;
export const REFERRING = abbreviation(3, Tag.Inlined, true, [[0x31, Form.Reference], ...RANGE]);
export const inlined = (at: number) => Buffer.concat([Buffer.from([3]), number(4, at), range]);

export const named = (parts: Readonly<Record<string, Uint8Array>>): SectionParts[] =>
  Object.entries(parts).map(([name, bytes]) => ({ name, bytes }));

/** A line table whose first row, at the start of the code, is of line 7. */
export function lineTable(
  program: readonly number[] = [...setAddress(LOW), 3, 6, 1, 2, ...uleb(CODE_BYTES), 0, 1, 1],
): Buffer {
  const header = Buffer.from([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0x61, 0, 0, 0, 0, 0]);
  const body = Buffer.concat([number(2, 4), number(4, header.length), header, Buffer.from(program)]);
  return Buffer.concat([number(4, body.length), body]);
}

export function setAddress(address: number): number[] {
  return [0, 9, 2, ...number(8, address)];
}
