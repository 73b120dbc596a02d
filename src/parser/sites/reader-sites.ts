/**
 * Translates the branch numbers of a reader into sites.
 *
 * Each reader numbers branches by itself, and workers read pieces in any order. So a site gets its id only when its
 * branch is reached in the order of the trace.
 */
import { float64Column, int32Column } from '../../model/columns.js';
import { FAR, NEAR_LENGTH } from '../../model/trace/event-run.js';
import { NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { knownFile } from '../lines/location.js';
import { unpackFlags } from '../reader/branch-ends.js';
import { END_COLUMNS, End, type NewBranches } from '../reader/new-branches.js';
import type { Interner } from './intern.js';
import { PairMap } from './pair-map.js';

const UNASSIGNED = -1;

export class ReaderSites {
  private sites = unassigned(1024);
  private readonly origins = float64Column();
  private readonly targets = float64Column();
  private readonly pairs = int32Column();
  private readonly symbols: string[] = [];
  private readonly files: string[] = [];
  private readonly texts: string[] = [];
  /** Numbers in the interner, by row; filled on demand. */
  private originLocations = unassigned(1024);
  private targetLocations = unassigned(1024);
  /** By file and symbol, their rows. */
  private readonly symbolIds = new PairMap();
  private readonly interner: Interner;

  constructor(interner: Interner) {
    this.interner = interner;
  }

  /** Returns a copy for a reader that starts from this one's snapshot. */
  copy(): ReaderSites {
    const { origins, targets, pairs, symbols, files, texts } = this;
    const copy = new ReaderSites(this.interner);
    copy.addBranches({ origins: origins.view(), targets: targets.view(), pairs: pairs.view(), symbols, files, texts });
    copy.sites.set(this.sites);
    return copy;
  }

  /** Adds the next branches of the reader. */
  addBranches({ origins, targets, symbols, files, texts, pairs }: NewBranches): void {
    this.origins.append(origins);
    this.targets.append(targets);
    this.pairs.append(pairs);
    for (const symbol of symbols) this.symbols.push(symbol);
    for (const file of files) this.files.push(file);
    for (const text of texts) this.texts.push(text);
    this.sites = withRows(this.sites, this.pairs.length / 2);
    this.originLocations = withRows(this.originLocations, this.origins.length / END_COLUMNS);
    this.targetLocations = withRows(this.targetLocations, this.targets.length / END_COLUMNS);
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
    const { interner, origins, targets } = this;
    const origin = this.pairs.values[2 * branch];
    const target = this.pairs.values[2 * branch + 1];
    const from = this.locationIn(this.originLocations, origins.values, origin);
    const to = this.locationIn(this.targetLocations, targets.values, target);
    const { kind, edge } = unpackFlags(origins.values[origin * END_COLUMNS + End.Flags]);
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
    if (symbol < 0) return this.interner.locationOf(this.texts[~symbol]);
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
    const id = this.interner.symbolOf(this.symbols[symbol], knownFile(this.files[file] ?? null));
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
