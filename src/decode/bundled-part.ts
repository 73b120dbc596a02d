/**
 * Turns the runs of a decoded part into bundles (model/trace/event-bundle.ts).
 */
import type { BundleWriter } from '../model/trace/event-runs.js';
import { type DecodedPart, siteCount } from './decoded-part.js';
import { MARK_EVENT_BYTES, MARK_RUNS, MARK_STATE, RUN_BYTES, RUN_EVENT_BYTES } from './wasm/layout.js';

/** Returns the part with its events in `into`, if they fit, and else in memory of their own. */
export function bundled(part: DecodedPart, bundles: BundleWriter, into: Int32Array): DecodedPart {
  bundles.clear(part.sites.first + siteCount(part.sites.rows));
  const ends = bundleRuns(part, bundles);
  moveMarks(part, ends);
  const written = bundles.written();
  if (written.length > into.length) return { ...part, events: written.slice() };
  into.set(written);
  return { ...part, events: into.subarray(0, written.length) };
}

/** Returns the bytes of bundles before each run, and before the end. */
function bundleRuns({ runs, events }: DecodedPart, bundles: BundleWriter): number[] {
  const ends = [0];
  let at = 0;
  for (let row = 0; row < runs.byteLength; row += RUN_BYTES) {
    const length = runs.getUint32(row + RUN_EVENT_BYTES, true) / Int32Array.BYTES_PER_ELEMENT;
    const bytes = bundles.add(events.subarray(at, at + length)) * Int32Array.BYTES_PER_ELEMENT;
    runs.setUint32(row + RUN_EVENT_BYTES, bytes, true);
    ends.push(bytes + (ends.at(-1) as number));
    at += length;
  }
  return ends;
}

/** Marks are between runs. */
function moveMarks({ marks, stateBytes }: DecodedPart, ends: readonly number[]): void {
  for (let row = 0; row < marks.byteLength; row += MARK_STATE + stateBytes) {
    const bytes = ends[marks.getUint32(row + MARK_RUNS, true)] as number;
    marks.setUint32(row + MARK_EVENT_BYTES, bytes, true);
  }
}
