/**
 * Translates the branch numbers of readers into sites.
 *
 * Readers number branches in any order, as workers find them. So a site gets its id only when its branch is reached in
 * the order of the trace.
 */

import { PairMap } from '../../model/pair-map.js';
import { FAR, NEAR_LENGTH } from '../../model/trace/event-runs.js';
import { NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { knownFile } from '../lines/location.js';
import { unpackFlags } from '../reader/branch-ends.js';
import { END_COLUMNS, End, type KnownBranches, PAIR_COLUMNS } from '../reader/known-branches.js';
import type { Interner } from './intern.js';

const UNASSIGNED = -1;

export class ReaderSites {
  private readonly branches: KnownBranches;
  private readonly interner: Interner;
  private sites = unassigned(1024);
  /** Numbers in the interner, by row; filled on demand. */
  private originLocations = unassigned(1024);
  private targetLocations = unassigned(1024);
  /** By file and symbol, their rows. */
  private readonly symbolIds = new PairMap();

  constructor(branches: KnownBranches, interner: Interner) {
    this.branches = branches;
    this.interner = interner;
  }

  /** Must be called for each piece that was read, before its branches are translated. */
  update(): void {
    const { branches } = this;
    branches.update();
    this.sites = withRows(this.sites, branches.pairs.length / PAIR_COLUMNS);
    this.originLocations = withRows(this.originLocations, branches.origins.length / END_COLUMNS);
    this.targetLocations = withRows(this.targetLocations, branches.targets.length / END_COLUMNS);
  }

  siteOf(branch: number): SiteId {
    const site = this.sites[branch];
    return site === UNASSIGNED ? this.newSite(branch) : site;
  }

  /** Replaces the branch numbers in a run (model/trace/event-run.ts) with sites. */
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
    const { interner } = this;
    const { origins, targets, pairs } = this.branches;
    const origin = pairs[PAIR_COLUMNS * branch];
    const target = pairs[PAIR_COLUMNS * branch + 1];
    const from = this.locationIn(this.originLocations, origins, origin);
    const to = this.locationIn(this.targetLocations, targets, target);
    const { kind, edge } = unpackFlags(origins[origin * END_COLUMNS + End.Flags]);
    const site = interner.siteBetween(kind, edge, from, to);
    this.sites[branch] = site;
    return site;
  }

  /** Returns the location of an end; `known` has those of ends asked for before. */
  private locationIn(known: Int32Array, ends: Float64Array, end: number): number {
    if (known[end] === UNASSIGNED) known[end] = this.locationOf(ends, end * END_COLUMNS);
    return known[end];
  }

  private locationOf(ends: Float64Array, at: number): number {
    const symbol = ends[at + End.Symbol];
    if (symbol < 0) return this.interner.locationOf(this.branches.unusualEnd(~symbol));
    return this.interner.location(
      ends[at + End.Address],
      this.symbolId(symbol, ends[at + End.File]),
      ends[at + End.Start],
    );
  }

  /** `file` is a row of the files, or negative if none was printed. */
  private symbolId(symbol: number, file: number): SymbolId {
    const known = this.symbolIds.find(file, symbol);
    if (known !== NONE) return known;
    const { branches } = this;
    const path = file < 0 ? null : branches.file(file);
    const id = this.interner.symbolOf(branches.symbol(symbol), knownFile(path));
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
