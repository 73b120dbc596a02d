/**
 * Names of threads and places in answers about waits.
 */
import type { SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { type Named, named } from '../common.js';
import type { WaitPlace, WaitThread } from './schema.js';
import type { KnownThread } from './thread-directory.js';
import type { Place } from './wait-facts.js';

export { reasonName } from '../../waits/reason.js';

export function waitThread({ tid, pid, comm, isRecorded }: Omit<KnownThread, 'isSelected'>): WaitThread {
  return { tid, pid, comm, isTraced: isRecorded };
}

export function waitPlace(symbols: SymbolTable, { symbol, call }: Place): WaitPlace {
  return { function: knownName(symbols, symbol), call: knownName(symbols, call) };
}

export function knownName(symbols: SymbolTable, symbol: SymbolId): Named | null {
  return symbol === NONE ? null : named(symbols, symbol);
}

/** Addresses in the upper half are negative numbers. */
export function addressText(address: number): string {
  return `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
}
