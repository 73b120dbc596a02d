/**
 * Finds the outlines of threads: the events that matter outside of the part of the time that is asked about, whichever that is.
 */
import type { PackedOutline } from '../codec/block-head.js';
import { RECORD_SITES } from '../model/trace/branch-sites.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import type { FunctionId } from '../model/units.js';
import type { SiteFacts } from '../replay/functions/site-facts.js';
import { functionAt, type OutlineRows, type SiteEnd, SkeletonBuilder } from '../replay/skeleton.js';
import type { OutlinedThread, PackingParameters } from '../trace/blocks.js';
import type { SpillFile } from '../trace/event-memory.js';
import { loadThread, threadSlices } from '../trace/load-thread.js';
import type { ThreadSource } from '../trace/store-contents.js';
import type { Trace } from './read/trace.js';
import { canUseOutlines, type ReplaySetup } from './replay/replay-setup.js';
import { spaceFor } from './replay/work-spaces.js';
import { prepareReplay } from './replay-trace.js';
import type { WorkResources } from './with-trace.js';

/** A thread with fewer blocks has none. */
const MIN_BLOCKS = 4;

export class Outliner {
  private readonly skeletons: SkeletonBuilder;
  private buffer = new ArrayBuffer(0);

  private constructor(
    private readonly setup: ReplaySetup,
    private readonly resources: WorkResources,
    private readonly terms: PackingParameters,
  ) {
    this.skeletons = new SkeletonBuilder(setup.siteFacts);
  }

  /** Returns null if no thread of the trace can have an outline. */
  static of(trace: Trace, resources: WorkResources, terms: PackingParameters): Outliner | null {
    const { store, account } = trace;
    const isLarge = store.tids.some((tid) => store.eventCount(tid) >= MIN_BLOCKS * resources.pool.sizes.blockEvents);
    if (!isLarge || account.timeless > 0) return null;
    const { setup } = prepareReplay(trace, {}, {});
    return canUseOutlines(setup) ? new Outliner(setup, resources, terms) : null;
  }

  /** Returns null if the thread has no outline. Its slices are valid until the next call. `file`: for what does not fit into memory. */
  outlined(source: ThreadSource, file: SpillFile): OutlinedThread | null {
    const { setup, resources } = this;
    const { sizes } = resources.pool;
    if (source.events < MIN_BLOCKS * sizes.blockEvents || source.unownedGaps.length > 0) return null;
    const { eventBytes, ...rows } = spaceFor(source, { ...sizes, memoryBytes: resources.memoryBytes });
    if (eventBytes > this.buffer.byteLength) this.buffer = new ArrayBuffer(eventBytes);
    const memory = { ...rows, buffer: this.buffer, file };
    const { events, clockSteps } = loadThread(source, setup.events, setup, memory);
    const ends = blockEnds(events, sizes.blockEvents);
    const found = clockSteps === 0 ? this.skeletons.outline(events, ends) : null;
    const outline = found && packed(events, ends, found, setup.siteFacts, this.terms);
    if (outline === null) return null;
    return { outline, slices: threadSlices(source, setup.events, setup, memory), blockEvents: sizes.blockEvents };
  }
}

/** Returns the rows at which blocks of so many events end: other rows are records. */
function blockEnds(events: ThreadEvents, blockEvents: number): number[] {
  const ends: number[] = [];
  let left = blockEvents;
  for (let row = 0; row < events.length; ) {
    const { site, siteAt, length } = events.from(row);
    for (let at = 0; at < length; at++) {
      if (site[siteAt + at] < RECORD_SITES || --left > 0) continue;
      ends.push(row + at + 1);
      left = blockEvents;
    }
    row += length;
  }
  if (left < blockEvents) ends.push(events.length);
  else ends[ends.length - 1] = events.length;
  return ends;
}

/** Records are left out: they are read apart. */
function packed(
  events: ThreadEvents,
  ends: readonly number[],
  { rows, jumpedTo }: OutlineRows,
  facts: SiteFacts,
  { rankOf, originNs }: PackingParameters,
): PackedOutline {
  const kept = rows.filter((row) => events.siteAt(row) >= RECORD_SITES);
  let start = 0;
  const lengths = ends.map((end) => {
    const first = start;
    while (start < kept.length && kept[start] < end) start++;
    return start - first;
  });
  return {
    tid: events.tid,
    lengths,
    site: Uint32Array.from(kept, (row) => rankOf[events.siteAt(row)]),
    timeNs: Float64Array.from(kept, (row) => events.timeAt(row) - originNs),
    jumps: placesOf(jumpedTo, facts, rankOf),
  };
}

/** Returns the first place of each function in the order of the file. */
function placesOf(functions: ReadonlySet<FunctionId>, facts: SiteFacts, rankOf: Uint32Array): number[] {
  const first = new Map<FunctionId, SiteEnd>();
  if (functions.size === 0) return [];
  for (let end = 0; end < 2 * rankOf.length; end++) {
    const fn = functionAt(facts, end);
    if (functions.has(fn))
      first.set(fn, Math.min(first.get(fn) ?? Number.POSITIVE_INFINITY, 2 * rankOf[end >> 1] + (end % 2)));
  }
  return [...first.values()].sort((a, b) => a - b);
}
