/**
 * The code in a pprof profile: binaries as mappings; functions, each with one location, because a call tree has functions
 * and no addresses.
 */
import type { PbfWriter } from 'pbf';
import { lineOf, type SymbolTable } from '../../model/names/symbol-table.js';
import { visibleText } from '../../render/visible-text.js';
import { FunctionField, LineField, LocationField, MappingField, ProfileField } from './fields.js';
import type { StringTable } from './string-table.js';

/** Rows of the string table; 0 is the empty text. Ids count from 1, as 0 means none. */
interface Mapping {
  readonly id: number;
  readonly file: number;
  readonly hasLines: boolean;
}

interface Code {
  /** Of the function and of its location: the row of the symbol table, from 1. */
  readonly id: number;
  readonly mapping: number;
  readonly name: number;
  readonly file: number;
  readonly line: number;
}

/** Interns its texts at once; returns an iterator that writes a message in each step. */
export function codeOf(symbols: SymbolTable, strings: StringTable): (writer: PbfWriter) => Generator<void> {
  const hasLines = symbols.lines !== undefined;
  const mappings = symbols.dsoName.map((name, row) => ({
    id: row + 1,
    file: strings.intern(visibleText(name)),
    hasLines,
  }));
  const functions = symbols.name.map((_, row) => codeAt(symbols, row, strings));
  return function* (writer) {
    for (const mapping of mappings) yield writer.writeMessage(ProfileField.Mapping, writeMapping, mapping);
    for (const code of functions) yield writer.writeMessage(ProfileField.Function, writeFunction, code);
    for (const code of functions) yield writer.writeMessage(ProfileField.Location, writeLocation, code);
  };
}

function codeAt(symbols: SymbolTable, row: number, strings: StringTable): Code {
  const at = lineOf(symbols, row);
  return {
    id: row + 1,
    mapping: symbols.dso[row] + 1,
    name: strings.intern(visibleText(symbols.name[row] as string)),
    file: at === null ? 0 : strings.intern(visibleText(at.file)),
    line: at?.line ?? 0,
  };
}

/** Has all that pprof would look for in the file, so that it does not open it. */
function writeMapping({ id, file, hasLines }: Mapping, writer: PbfWriter): void {
  writer.writeVarintField(MappingField.Id, id);
  writer.writeVarintField(MappingField.Filename, file);
  writer.writeBooleanField(MappingField.HasFunctions, true);
  writer.writeBooleanField(MappingField.HasFilenames, hasLines);
  writer.writeBooleanField(MappingField.HasLineNumbers, hasLines);
}

/** Without a system name, pprof takes the name as it is: otherwise it would take parameters out of the names of C++. */
function writeFunction({ id, name, file, line }: Code, writer: PbfWriter): void {
  writer.writeVarintField(FunctionField.Id, id);
  writer.writeVarintField(FunctionField.Name, name);
  writer.writeVarintField(FunctionField.Filename, file);
  writer.writeVarintField(FunctionField.StartLine, line);
}

function writeLocation(code: Code, writer: PbfWriter): void {
  writer.writeVarintField(LocationField.Id, code.id);
  writer.writeVarintField(LocationField.MappingId, code.mapping);
  writer.writeMessage(LocationField.Line, writeLine, code);
}

function writeLine({ id, line }: Code, writer: PbfWriter): void {
  writer.writeVarintField(LineField.FunctionId, id);
  writer.writeVarintField(LineField.Line, line);
}
