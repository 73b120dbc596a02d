/**
 * Reads bundles as replay does.
 */
import { bundleEnd, bundleEvents } from '../../../src/model/trace/event-runs.js';
import { BundleColumns } from '../../../src/trace/lanes/bundles.js';

const columns = new BundleColumns();

/** Returns the events of the bundles in a range of numbers. */
export function bundledEvents(run: Int32Array, from: number, end: number): { site: number[]; timeNs: number[] } {
  const site: number[] = [];
  const timeNs: number[] = [];
  for (let at = from; at < end; at = bundleEnd(run, at)) {
    columns.read(run, at, 0);
    for (let row = 0; row < bundleEvents(run, at); row++) {
      site.push(columns.site[row] as number);
      timeNs.push(columns.timeNs[row] as number);
    }
  }
  return { site, timeNs };
}
