/**
 * Sums up the waits of a trace by call path: for whom, why, what that thread did meanwhile, and the longest wait.
 */
import type { WaitsByPath } from '../../../model/profile/waits-by-path.js';
import { NONE } from '../../../model/units.js';
import { OffState } from '../../../waits/schedule/off-state.js';
import type { Waits } from '../../../waits/waits.js';
import type { CallsOfWaits, TraceWaits } from '../ask-waits.js';
import { AskedIntervals } from './asked-intervals.js';
import { piecesOf } from './longest-waits.js';
import { type KeyedPiece, PlaceWriter } from './place-writer.js';
import { WaitBlockers } from './wait-blockers.js';
import { groupWaits, type PlaceGroups, wokenNs } from './waiting-places.js';

/** Waits count by their beginning, which is within the bounds of the profile. Returns null if there are none. */
export async function waitsByPath(traceWaits: TraceWaits, calls: CallsOfWaits): Promise<WaitsByPath | null> {
  const { waits } = traceWaits;
  const rows = waitsWithin(traceWaits, calls);
  if (rows.length === 0) return null;
  const blockers = new WaitBlockers(traceWaits);
  const groups = groupWaits(waits, calls, blockers, rows);
  const pieces = keyedPieces(waits, groups);
  const asked = new AskedIntervals(calls.askable);
  for (const wait of rows) {
    const key = groups.blockerOf[wait];
    if (key !== NONE) asked.add(blockers.tidOf(wait), waits.outNs[wait], wokenNs(waits, wait), key);
  }
  for (const { kind, tid, fromNs, toNs, key } of pieces.flat())
    if (kind === 'running') asked.add(tid, fromNs, toNs, key);
  const times = await asked.ask();
  return new PlaceWriter(traceWaits, calls, blockers, times).write({ groups, pieces });
}

/** Their keys come after the rows of blockers. */
function keyedPieces(waits: Waits, { places }: PlaceGroups): KeyedPiece[][] {
  let key = places.reduce((sum, { blockers }) => sum + blockers.length, 0);
  return places.map(({ longest }) => piecesOf(waits, longest).map((piece) => ({ ...piece, key: key++ })));
}

/** Returns the waits that the profile has. Where switches are missing, the thread may have run. */
function waitsWithin({ waits }: TraceWaits, { profile, shiftNs, waiterNode }: CallsOfWaits): Uint32Array {
  const { meta, threads } = profile;
  const tids = new Set(threads.map(({ tid }) => tid));
  const isWithin = (wait: number) => {
    const outNs = waits.outNs[wait];
    const isInPart = meta.part === null || (outNs >= meta.startNs + shiftNs && outNs < meta.endNs + shiftNs);
    const isWait = waits.state[wait] !== OffState.Unknown && waits.inNs[wait] > outNs;
    return isInPart && isWait && waiterNode[wait] !== NONE && tids.has(waits.tid[wait]);
  };
  return Uint32Array.from(waits.tid.keys()).filter(isWithin);
}
