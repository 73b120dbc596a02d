/**
 * Numbers the names that the events of a thread refer to: functions, the files that they are in, and marks.
 */
import type { PbfWriter } from 'pbf';
import { type CallEvents, isBeginning } from '../../model/calls/call-events.js';
import { rowNumbers } from '../../model/columns.js';
import { lineOf, SymbolKind, type SymbolTable, symbolRanks } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { ANNOTATION, INTERNED_DATA } from './fields.js';
import { type Interned, writeInternedData } from './interned.js';
import type { PacketSequence } from './packets.js';

/** Annotations that are true where they are; their numbers. */
export const Mark = { Cut: 1, Unwound: 2, Left: 3, Resumed: 4, Maybe: 5 } as const;
export type Mark = (typeof Mark)[keyof typeof Mark];
const MARK_NAMES = ['cut', 'unwound', 'left', 'resumed', 'maybe'];

/** Categories that are not files; their numbers. */
export const Category = { None: 0, Stop: 1, Waking: 2 } as const;
const CATEGORY_NAMES = ['stop', 'waking'];

/** So many are in a packet. */
const NAMES_PER_PACKET = 256;

/** `symbol`: by node. */
export interface NamedCalls {
  readonly events: CallEvents;
  readonly symbol: Int32Array;
}

/** Frequent functions get small numbers, which take a byte. */
export class EventNames {
  /** By symbol; 0: not used. */
  readonly functionOf: Int32Array;
  readonly categoryOf: Int32Array;
  /** By symbol, 1: where it begins in source code is known, and has the number of the function. */
  readonly hasLine: Uint8Array;
  private readonly list: Interned[];
  private readonly others = new Map<string, number>();
  private count: number;

  constructor(symbols: SymbolTable, calls: readonly NamedCalls[]) {
    this.functionOf = new Int32Array(symbols.length);
    this.categoryOf = new Int32Array(symbols.length);
    this.hasLine = new Uint8Array(symbols.length);
    this.list = [...list(INTERNED_DATA.annotationNames, MARK_NAMES), ...list(INTERNED_DATA.categories, CATEGORY_NAMES)];
    const used = byFrequency(calls, symbols);
    this.count = used.length;
    this.addFunctions(used, symbols);
    this.addCategories(used, symbols);
  }

  private addFunctions(used: readonly SymbolId[], symbols: SymbolTable): void {
    for (const [at, symbol] of used.entries()) {
      const id = at + 1;
      const line = lineOf(symbols, symbol);
      this.functionOf[symbol] = id;
      this.list.push({ of: INTERNED_DATA.eventNames, id, name: symbols.name[symbol] as string });
      if (line === null) continue;
      this.hasLine[symbol] = 1;
      this.list.push({ of: INTERNED_DATA.sourceLocations, id, name: line.file, line: line.line });
    }
  }

  private addCategories(used: readonly SymbolId[], { kind, dso, dsoName }: SymbolTable): void {
    const files = new Map<number, number>();
    for (const symbol of used) {
      const file = dso[symbol] as number;
      if (file !== NONE && !files.has(file)) files.set(file, CATEGORY_NAMES.length + files.size + 1);
      const isStop = kind[symbol] === SymbolKind.Synthetic;
      this.categoryOf[symbol] = isStop ? Category.Stop : (files.get(file) ?? Category.None);
    }
    for (const [file, id] of files) this.list.push({ of: INTERNED_DATA.categories, id, name: dsoName[file] as string });
  }

  /** Returns the number of the name of an event that is not a call. */
  idOf(name: string): number {
    const known = this.others.get(name);
    if (known !== undefined) return known;
    this.list.push({ of: INTERNED_DATA.eventNames, id: ++this.count, name });
    this.others.set(name, this.count);
    return this.count;
  }

  /** Writes all names; yields after each packet. */
  *write(sequence: PacketSequence): Generator<void> {
    for (let at = 0; at < this.list.length; at += NAMES_PER_PACKET) {
      writeInternedData(this.list.slice(at, at + NAMES_PER_PACKET), sequence);
      yield;
    }
  }
}

/** Annotates an event. */
export function writeMark(mark: Mark, writer: PbfWriter): void {
  writer.writeVarintField(ANNOTATION.name, mark);
  writer.writeVarintField(ANNOTATION.bool, 1);
}

function list(of: number, names: readonly string[]): Interned[] {
  return names.map((name, at) => ({ of, id: at + 1, name }));
}

/** Returns the functions of calls, those with the most calls first; of the same number, by name. */
function byFrequency(calls: readonly NamedCalls[], symbols: SymbolTable): SymbolId[] {
  const counts = new Float64Array(symbols.length);
  const ranks = symbolRanks(symbols);
  for (const { events, symbol } of calls)
    for (let row = 0; row < events.kind.length; row++)
      if (isBeginning(events.kind[row])) counts[symbol[events.node[row]]]++;
  return Array.from(rowNumbers(symbols.length).filter((symbol) => counts[symbol] > 0)).sort(
    (a, b) => counts[b] - counts[a] || ranks[a] - ranks[b],
  );
}
