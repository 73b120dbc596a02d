/**
 * What all inputs of a trace share: ids, the origin of time, counters, and the sites of what readers number.
 */

import { PairMap } from '../model/pair-map.js';
import { FAR, NEAR_LENGTH } from '../model/trace/event-runs.js';
import type { PerfTime } from '../model/trace/perf-time.js';
import { type Nanoseconds, NONE, type SiteId, type SymbolId } from '../model/units.js';
import { fromLatin1, Interner } from './intern.js';
import { BRANCH_COLUMNS, Branch, type Branches, End, unpackFlags } from './known-branches.js';
import { LineReader } from './line-reader.js';
import { knownFile } from './lines/location.js';

const MAX_WORDS = 100;
const MAX_WORD_LENGTH = 80;

/**
 * Counts lines with flags that no known perf prints, and keeps some of these flags.
 *
 * Keeps the smallest words, so that the result does not depend on their order.
 */
class UnknownFlags {
  lines = 0;
  private readonly smallest: string[] = [];

  /** Adds a word; bytes as latin1 characters. */
  add(word: string): void {
    this.lines++;
    const kept = fromLatin1(word.slice(0, MAX_WORD_LENGTH));
    if (this.smallest.includes(kept)) return;
    this.smallest.push(kept);
    this.smallest.sort();
    if (this.smallest.length > MAX_WORDS) this.smallest.pop();
  }

  /** Restores the state of another one; nothing may have been added to this one. */
  addAll(words: readonly string[], lines: number): void {
    this.smallest.push(...words);
    this.lines = lines;
  }

  /** The words, sorted, each once. */
  get words(): readonly string[] {
    return this.smallest;
  }
}

export class TraceContext {
  readonly interner = new Interner();
  /** Reads the pieces that this thread parses itself. */
  readonly reader = new LineReader();
  /** Of this reader, and of all that share its memory. */
  readonly readerSites = new ReaderSites(this.reader.branches, this.interner);
  readonly unknownFlags = new UnknownFlags();
  /** perf's clock at time 0, in whole seconds; null before the first time. */
  originSeconds: number | null = null;
  /** Branches without and with a time: in a trace either all have one or none has. */
  timeless = 0;
  timed = 0;
  flagless = 0;

  timeOf(time: PerfTime): Nanoseconds {
    this.originSeconds ??= time.seconds;
    return (time.seconds - this.originSeconds) * 1e9 + time.ns;
  }

  /** The inverse of `timeOf`. */
  perfTimeOf(timeNs: Nanoseconds): PerfTime {
    const seconds = Math.floor(timeNs / 1e9);
    return { seconds: seconds + (this.originSeconds ?? 0), ns: timeNs - seconds * 1e9 };
  }
}

const UNASSIGNED = -1;

/**
 * Translates the branch numbers of readers into sites.
 *
 * Readers number branches in any order, as workers find them. So a site gets its id only when its branch is reached in
 * the order of the trace.
 */
export class ReaderSites {
  private sites = unassigned(1024);
  /** By file and symbol, their rows. */
  private readonly symbolIds = new PairMap();

  constructor(
    private readonly branches: Branches,
    private readonly interner: Interner,
  ) {}

  /** Must be called for each piece that was read, before its branches are translated. */
  update(): void {
    const { branches } = this;
    branches.update();
    this.sites = withRows(this.sites, branches.rows.length / BRANCH_COLUMNS);
  }

  siteOf(branch: number): SiteId {
    const site = this.sites[branch];
    return site === UNASSIGNED ? this.newSite(branch) : site;
  }

  /** Replaces the branch numbers in a run (model/trace/event-runs.ts) with sites. */
  renumber(events: Int32Array): void {
    const { sites } = this;
    for (let at = 0; at < events.length; at += NEAR_LENGTH) {
      let siteAt = at;
      if (events[at] === FAR) {
        siteAt = at + 1;
        at += NEAR_LENGTH;
      }
      const branch = events[siteAt];
      const site = sites[branch];
      events[siteAt] = site === UNASSIGNED ? this.newSite(branch) : site;
    }
  }

  private newSite(branch: number): SiteId {
    const { rows } = this.branches;
    const at = BRANCH_COLUMNS * branch;
    const { kind, edge } = unpackFlags(rows[at + Branch.Flags]);
    const site = this.interner.siteBetween(
      kind,
      edge,
      this.locationOf(rows, at + Branch.From),
      this.locationOf(rows, at + Branch.To),
    );
    this.sites[branch] = site;
    return site;
  }

  private locationOf(rows: Float64Array, at: number): number {
    const symbol = rows[at + End.Symbol];
    if (symbol < 0) return this.interner.locationOf(this.branches.text('texts', ~symbol));
    return this.interner.location(
      rows[at + End.Address],
      this.symbolId(symbol, rows[at + End.File]),
      rows[at + End.Start],
    );
  }

  /** `file` is a row of the files, or negative if none was printed. */
  private symbolId(symbol: number, file: number): SymbolId {
    const known = this.symbolIds.find(file, symbol);
    if (known !== NONE) return known;
    const { branches } = this;
    const path = file < 0 ? null : branches.text('files', file);
    const id = this.interner.symbolOf(branches.text('symbols', symbol), knownFile(path));
    this.symbolIds.add(file, symbol, id);
    return id;
  }
}

/** Returns a column with space for that many rows. */
function withRows(column: Int32Array, rows: number): Int32Array {
  if (rows <= column.length) return column;
  const larger = unassigned(2 * rows);
  larger.set(column);
  return larger;
}

function unassigned(rows: number): Int32Array {
  return new Int32Array(rows).fill(UNASSIGNED);
}
