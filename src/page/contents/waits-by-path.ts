/**
 * Sums up the waits of a trace by call path: for whom, why, what that thread did meanwhile, and the longest wait.
 */
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { NONE } from '../../model/units.js';
import type { CallsOfWaits, TraceWaits } from '../../questions/waits/ask-waits.js';
import { OffState } from '../../waits/schedule/off-state.js';
import { AskedIntervals } from './asked-intervals.js';
import { piecesOf } from './longest-waits.js';
import { type KeyedPiece, PlaceWriter } from './place-writer.js';
import { WaitBlockers } from './wait-blockers.js';
import { groupWaits, type PlaceGroups } from './waiting-places.js';

/** Waits count as far as they are in the selected time. Returns null if there are none. */
export async function waitsByPath(traceWaits: TraceWaits, calls: CallsOfWaits): Promise<WaitsByPath | null> {
  const { shown } = traceWaits;
  const rows = shownRows(traceWaits, calls);
  if (rows.length === 0) return null;
  const blockers = new WaitBlockers(traceWaits);
  const groups = groupWaits(shown, calls, blockers, rows);
  const pieces = keyedPieces(traceWaits, groups);
  const asked = new AskedIntervals(calls.askable);
  for (const wait of rows) {
    const key = groups.blockerOf[wait];
    if (key !== NONE) blockers.forEachInterval(wait, (tid, fromNs, toNs) => asked.add(tid, fromNs, toNs, key));
  }
  for (const { kind, tid, fromNs, toNs, key } of pieces.flat())
    if (kind === 'running') asked.add(tid, fromNs, toNs, key);
  const times = await asked.ask();
  return new PlaceWriter(traceWaits, calls, blockers, times).write({ groups, pieces });
}

/** Their keys come after the rows of blockers. */
function keyedPieces(traceWaits: TraceWaits, { places }: PlaceGroups): KeyedPiece[][] {
  let key = places.reduce((sum, { blockers }) => sum + blockers.length, 0);
  return places.map(({ longest }) => piecesOf(traceWaits, longest).map((piece) => ({ ...piece, key: key++ })));
}

/** Returns the waits that the profile has. Where switches are missing, the thread may have run. */
export function shownRows({ shown }: TraceWaits, { profile, waiterNode }: CallsOfWaits): Uint32Array {
  const tids = new Set(profile.threads.map(({ tid }) => tid));
  const isShown = (wait: number) => {
    const isWait = shown.state[wait] !== OffState.Unknown && shown.inNs[wait] > shown.outNs[wait];
    return isWait && waiterNode[wait] !== NONE && tids.has(shown.tid[wait]);
  };
  return Uint32Array.from(shown.tid.keys()).filter(isShown);
}
