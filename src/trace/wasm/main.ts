/**
 * Reads bundles of events into columns: src/model/trace/event-runs.ts says how they look.
 */

/** The step is in four bytes after it. */
const LONG_STEP: u32 = 255;

/** Writes the sites of events, by the row of each, which has one byte or two. */
export function readSites(rows: usize, rowBytes: u32, sites: usize, events: u32, to: usize): void {
  for (let event: usize = 0; event < <usize>events; event++) {
    const row: usize = rowBytes === 1 ? load<u8>(rows + event) : load<u16>(rows + 2 * event);
    store<u32>(to + 4 * event, load<u32>(sites + 4 * row));
  }
}

/** Writes the times of events. Most steps are those of few events: four are written at once, up to 24 bytes too many. */
export function readTimes(times: usize, startNs: f64, events: u32, to: usize): void {
  const end = to + 8 * <usize>events;
  let ns = startNs;
  let time = times;
  for (let at = to; at < end; ) {
    const next = at + 8 * <usize>load<u8>(time);
    let step: u32 = load<u8>(time, 1);
    time += 2;
    if (step === LONG_STEP) {
      step = load<u32>(time);
      time += 4;
    }
    ns += <f64>step;
    const two = f64x2.splat(ns);
    for (; at < next; at += 32) {
      v128.store(at, two);
      v128.store(at, two, 16);
    }
    at = next;
  }
}
