/**
 * A case that is decoded differently → one with as few packets as possible. All candidates of a round are judged at once.
 */
import type { Case } from './cases.js';
import { type JudgeOptions, judge } from './judge.js';
import { type Bytes, PSBEND } from './packets.js';

export function minimise(options: JudgeOptions, first: Case): Case {
  let best = first;
  for (let size = sizeOf(first) >> 1; size > 0; ) {
    const cases = candidates(best, size);
    const { differences } = judge({ ...options, cases });
    const better = differences[0] === undefined ? undefined : cases[differences[0].row];
    if (better !== undefined) best = better;
    else if (size === 1) break;
    size = better === undefined ? size >> 1 : Math.max(1, Math.min(size, sizeOf(best) >> 1));
  }
  return best;
}

function sizeOf({ pieces }: Case): number {
  return pieces.flat().length;
}

/** Without `size` packets in a row, at each place; or all in one record. */
function candidates({ tick, pieces }: Case, size: number): Case[] {
  const joined = pieces.length > 1 ? [{ tick, pieces: [pieces.flat()] }] : [];
  const count = sizeOf({ tick, pieces });
  const kept = Math.max(0, pieces.flat().indexOf(PSBEND) + 1); // perf crashes if no PSB+ is whole
  const starts = Array.from({ length: Math.ceil((count - kept) / size) }, (_, at) => kept + at * size);
  return [...joined, ...starts.map((start) => ({ tick, pieces: without(pieces, start, start + size) }))];
}

function without(pieces: readonly (readonly Bytes[])[], start: number, end: number): Bytes[][] {
  let at = 0;
  return pieces.map((packets) => packets.filter(() => at++ < start || at > end));
}
