/**
 * Repeats what the walk did with the bits of a TNT packet at a block, without a look at the blocks. walkBits (bits.ts) says
 * what happens. A walk that comes for the second time is learned; from then on it is repeated.
 */
import { Block } from '../blocks';
import { nextEventTime } from '../clock/clock';
import { Events, isSlotOver } from '../events';
import { MAX_RETURNS, state } from '../state';
import { KNOWN, KNOWN_BY_CALL, MAX_ITEMS, NEW, NOT_KNOWN, Row, rowOf, TIME_BEFORE, TIME_OF_BITS } from './bit-rows';
import { firstBitTime } from './bits';
import { learn } from './learn-bits';
import { goOnTo, Position } from './position';
import { returnAt, returnBefore } from './returns';

/** Walks on by the bits of a short TNT if it is known what they do. Returns false if not: then nothing has happened. */
export function repeatBits(byte: u8): bool {
  if (state.returnCount > MAX_RETURNS - MAX_ITEMS || isSlotOver(state.time)) return false;
  const block = Position.here();
  let row = rowOf(block, byte, 0);
  if (row.block !== block || row.key !== byte) {
    row.begin(block, byte);
    return false;
  }
  if (row.status !== KNOWN) {
    if (row.status === NEW) row.status = learn(row, block, byte >> 1);
    if (row.status === NOT_KNOWN) return false;
    if (row.status === KNOWN_BY_CALL && !hasReturns(row)) {
      row = rowByCall(block, byte);
      if (changetype<usize>(row) === 0) return false;
    }
  }
  repeat(row);
  return true;
}

/** What happens depends on where calls return to, and not to the same place as the first time; null: unknown. */
function rowByCall(block: Block, byte: u8): Row {
  const key = byte | 1; // no TNT
  const row = rowOf(block, key, returnBefore(0));
  if (row.block === block && row.key === key) {
    if (row.status === NEW) row.status = learn(row, block, byte >> 1);
    if (row.status === KNOWN_BY_CALL && hasReturns(row)) return row;
  }
  row.begin(block, key);
  return changetype<Row>(<usize>0);
}

/** Whether the calls that returned then are those that return now. */
function hasReturns(row: Row): bool {
  const first: u32 = row.events;
  const pops: u32 = row.calls & 15;
  for (let back: u32 = 0; back < pops; back++)
    if (returnBefore(back) !== load<u32>(row.item(first + back))) return false;
  return true;
}

function repeat(row: Row): void {
  const before = nextEventTime();
  let next: u32 = 0;
  for (; next < row.early; next++) Events.emit(load<u32>(row.item(next)), before);
  const time = firstBitTime();
  for (; next < row.events; next++) Events.emit(load<u32>(row.item(next)), time);
  if (row.time === TIME_OF_BITS) state.lastEventTime = time;
  else if (row.time === TIME_BEFORE) state.lastEventTime = before;
  state.instructions += row.instructions;
  if (row.calls !== 0) repeatCalls(row);
  goOnTo(changetype<Block>(row.end));
}

function repeatCalls(row: Row): void {
  const pops: u32 = row.calls & 15;
  const pushes: u32 = row.calls >> 4;
  for (let back: u32 = 0; back < pops; back++) store<u32>(returnAt(state.returnTop - 1 - back), 0);
  state.returnTop -= pops;
  const first = <u32>row.events + pops;
  for (let next: u32 = 0; next < pushes; next++)
    store<u32>(returnAt(state.returnTop + next), load<u32>(row.item(first + next)));
  state.returnTop += pushes;
  state.returnCount += pushes - pops;
}
