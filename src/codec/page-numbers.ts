/**
 * Numbers of pages and levels files: tables of calls and times, column by column. Writer and reader guess each number in the same
 * way from those before it.
 */

import type { Spans } from '../model/profile/timeline.js';
import { CHUNK_CALLS, FUNCTION_CHUNK_CALLS, type FunctionCalls } from '../model/profile/timeline.js';
import { NONE } from '../model/units.js';
import { NumberReader, NumberWriter } from './numbers.js';

/** Eight-byte numbers are big-endian. */
export function pageWriter(): NumberWriter {
  return new NumberWriter('big-endian');
}

export function pageReader(bytes: Uint8Array): NumberReader {
  return new NumberReader(bytes, 'the page', 'big-endian');
}

type Numbers = Float64Array | Int32Array | Uint8Array;
type Table = { readonly [column: string]: Numbers };

/** Returns a guess for the number of a row. */
export type Guess = (row: number) => number;

/** A column, and a guess for each of its numbers from those before it, and from the columns before it. */
interface ColumnRule {
  readonly name: string;
  readonly make: new (length: number) => Numbers;
  /** Of a table that has the column, and those before it. */
  readonly guess: (table: Table) => Guess;
}

const before =
  (name: string) =>
  ({ [name]: values }: Table): Guess =>
  (row) =>
    row === 0 ? 0 : values[row - 1];
const same =
  (name: string) =>
  ({ [name]: values }: Table): Guess =>
  (row) =>
    values[row];
const always = (value: number) => (): Guess => () => value;

function column(name: string, make: ColumnRule['make'], guess: ColumnRule['guess']): ColumnRule {
  return { name, make, guess };
}

/** Calls by start. */
export const SPAN_RULES: readonly ColumnRule[] = [
  column('startNs', Float64Array, before('startNs')),
  column('endNs', Float64Array, same('startNs')),
  column('node', Int32Array, before('node')),
  column('ending', Int32Array, always(NONE)),
];

/** Calls by end. */
export const CALL_RULES: readonly ColumnRule[] = [
  column('endNs', Float64Array, before('endNs')),
  column('startNs', Float64Array, same('endNs')),
  column('node', Int32Array, before('node')),
  column('ending', Int32Array, always(NONE)),
  column(
    'knownNs',
    Float64Array,
    ({ startNs, endNs }) =>
      (row) =>
        endNs[row] - startNs[row],
  ),
];

/** Calls by function, then by end. */
const FUNCTION_CALL_RULES: readonly ColumnRule[] = [...CALL_RULES, column('isSplit', Uint8Array, always(0))];

/** Often, each begins where the one before ends. */
export const TIME_RULES: readonly ColumnRule[] = [
  column('endNs', Float64Array, before('endNs')),
  column('startNs', Float64Array, before('endNs')),
  column('node', Int32Array, before('node')),
  column('isInferred', Uint8Array, always(0)),
];

/** Wakings: by waiter, then by time. */
export const WAKING_RULES: readonly ColumnRule[] = [
  column('waiter', Int32Array, before('waiter')),
  column('waker', Int32Array, before('waker')),
  column('runNs', Float64Array, before('runNs')),
  column('wakeNs', Float64Array, same('runNs')),
  column('startNs', Float64Array, same('wakeNs')),
  column('isMaybe', Uint8Array, before('isMaybe')),
];

export const ROW_RULES: readonly ColumnRule[] = [
  column('slice', Int32Array, before('slice')),
  column('node', Int32Array, before('node')),
  column('calls', Float64Array, always(0)),
  column('inferredCalls', Float64Array, always(0)),
  column('selfNs', Float64Array, always(0)),
  column('inferredNs', Float64Array, always(0)),
  column('unwoundCalls', Float64Array, always(0)),
  column('completeNs', Float64Array, ownTime),
  column('longestCutNs', Float64Array, always(0)),
  column('minNs', Float64Array, shortest),
  column('maxNs', Float64Array, longest),
];

/** Exact for a path without callees. */
function ownTime({ calls, inferredCalls, selfNs }: Table): Guess {
  return (row) => (calls[row] > inferredCalls[row] ? selfNs[row] : 0);
}

/** Exact for a single call. */
function shortest({ calls, inferredCalls, completeNs }: Table): Guess {
  return (row) => {
    const complete = calls[row] - inferredCalls[row];
    return complete === 0 ? Number.POSITIVE_INFINITY : Math.floor(completeNs[row] / complete);
  };
}

/** The average of all calls but the shortest: exact for two calls. */
export function longest({ calls, inferredCalls, completeNs, minNs }: Table): Guess {
  return (row) => {
    const complete = calls[row] - inferredCalls[row];
    if (complete === 0) return Number.NEGATIVE_INFINITY;
    if (complete === 1) return completeNs[row];
    return Math.max(0, Math.floor((completeNs[row] - minNs[row]) / (complete - 1)));
  };
}

/** Writes a table of each thread, column by column. */
export function writeTables(writer: NumberWriter, rules: readonly ColumnRule[], tables: readonly object[]): void {
  for (const { name, guess } of rules)
    for (const table of tables as readonly Table[]) {
      const values = table[name];
      const guessed = guess(table);
      for (let row = 0; row < values.length; row++) writer.near(values[row], guessed(row));
    }
}

/** Reads them. `lengths`: the number of rows of each. */
export function readTables<Rows>(
  reader: NumberReader,
  rules: readonly ColumnRule[],
  lengths: readonly number[],
): Rows[] {
  const tables = lengths.map((): Record<string, Numbers> => ({}));
  for (const { name, make, guess } of rules)
    tables.forEach((table, at) => {
      reader.expectRows(lengths[at]);
      const values = new make(lengths[at]);
      table[name] = values;
      const guessed = guess(table);
      for (let row = 0; row < values.length; row++) values[row] = reader.near(guessed(row));
    });
  return tables as Rows[];
}

/** A chunk of a thread's calls → bytes, uncompressed: workers write it for a levels file, a page that is served reads it. */
export function chunkBytes(calls: Spans): Uint8Array {
  return bytesOf(calls, SPAN_RULES);
}

/** @throws Error for invalid bytes */
export function readChunk(bytes: Uint8Array): Spans {
  return read<Spans>(bytes, SPAN_RULES, CHUNK_CALLS);
}

/** The same of a chunk of calls by function. */
export function functionChunkBytes(calls: FunctionCalls): Uint8Array {
  return bytesOf(calls, FUNCTION_CALL_RULES);
}

/** @throws Error for invalid bytes */
export function readFunctionChunk(bytes: Uint8Array): FunctionCalls {
  return read<FunctionCalls>(bytes, FUNCTION_CALL_RULES, FUNCTION_CHUNK_CALLS);
}

function bytesOf(calls: Spans, rules: readonly ColumnRule[]): Uint8Array {
  const writer = pageWriter();
  writer.count(calls.node.length);
  writeTables(writer, rules, [calls]);
  return writer.view();
}

function read<Calls>(bytes: Uint8Array, rules: readonly ColumnRule[], maxCalls: number): Calls {
  const reader = pageReader(bytes);
  const [calls] = readTables<Calls>(reader, rules, [reader.countWithin(0, maxCalls)]);
  reader.end();
  return calls;
}
