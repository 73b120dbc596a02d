/**
 * The branches that a reader tells of, and their sites.
 *
 * Readers number branches for themselves, and in threads of their own they come to them in any order: a site is given out
 * when the trace comes to its branch.
 */
import { float64Column, int32Column } from '../../model/columns.js';
import { FAR, NEAR_LENGTH } from '../../model/trace/event-run.js';
import type { SiteId, SymbolId } from '../../model/units.js';
import { knownFile } from '../lines/location.js';
import { unpackFlags } from '../reader/branch-ends.js';
import { END_COLUMNS, End, type NewBranches } from '../reader/new-branches.js';
import type { Interner } from './intern.js';

const NOT_YET = -1;

export class ReaderSites {
  private sites = new Int32Array(1024).fill(NOT_YET);
  private readonly origins = float64Column();
  private readonly targets = float64Column();
  private readonly pairs = int32Column();
  private readonly symbols: string[] = [];
  private readonly files: string[] = [];
  private readonly texts: string[] = [];
  /** By row, as far as they are known: what they are called where all readers' branches come together. */
  private readonly locationOfOrigin: number[] = [];
  private readonly locationOfTarget: number[] = [];
  private readonly symbolIds: SymbolId[][] = []; // by file, from −1 on, then by symbol
  private readonly interner: Interner;

  constructor(interner: Interner) {
    this.interner = interner;
  }

  /** The same, for a reader that begins with what this one knows. */
  copy(): ReaderSites {
    const { origins, targets, pairs, symbols, files, texts } = this;
    const copy = new ReaderSites(this.interner);
    copy.addBranches({ origins: origins.view(), targets: targets.view(), pairs: pairs.view(), symbols, files, texts });
    copy.sites.set(this.sites);
    return copy;
  }

  /** Hears of the branches that the reader tells of next. */
  addBranches({ origins, targets, symbols, files, texts, pairs }: NewBranches): void {
    this.origins.append(origins);
    this.targets.append(targets);
    this.pairs.append(pairs);
    for (const symbol of symbols) this.symbols.push(symbol);
    for (const file of files) this.files.push(file);
    for (const text of texts) this.texts.push(text);
    const branches = this.pairs.length / 2;
    if (branches <= this.sites.length) return;
    const larger = new Int32Array(2 * branches).fill(NOT_YET);
    larger.set(this.sites);
    this.sites = larger;
  }

  siteOf(branch: number): SiteId {
    const site = this.sites[branch];
    return site === NOT_YET ? this.newSite(branch) : site;
  }

  /** Puts sites in the place of the branches of a run (model/trace/event-run.ts). */
  renumber(events: Int32Array): void {
    const { sites } = this;
    for (let at = 0; at < events.length; at += NEAR_LENGTH) {
      let place = at;
      if (events[at] === FAR) {
        place = at + 1;
        at += NEAR_LENGTH;
      }
      const branch = events[place];
      const site = sites[branch];
      events[place] = site === NOT_YET ? this.newSite(branch) : site;
    }
  }

  private newSite(branch: number): SiteId {
    const { interner, origins, targets } = this;
    const origin = this.pairs.values[2 * branch];
    const target = this.pairs.values[2 * branch + 1];
    const from = (this.locationOfOrigin[origin] ??= this.locationOf(origins.values, origin * END_COLUMNS));
    const to = (this.locationOfTarget[target] ??= this.locationOf(targets.values, target * END_COLUMNS));
    const { kind, edge } = unpackFlags(origins.values[origin * END_COLUMNS + End.Flags]);
    const site = interner.siteBetween(kind, edge, from, to);
    this.sites[branch] = site;
    return site;
  }

  private locationOf(ends: Float64Array, at: number): number {
    const symbol = ends[at + End.Symbol];
    if (symbol < 0) return this.interner.locationOf(this.texts[~symbol]);
    return this.interner.location(ends[at + End.Address], this.idOf(symbol, ends[at + End.File]), ends[at + End.Start]);
  }

  /** `file`: a row of the files; below zero: none was printed. */
  private idOf(symbol: number, file: number): SymbolId {
    const ids = (this.symbolIds[file + 1] ??= []);
    return (ids[symbol] ??= this.interner.symbolOf(this.symbols[symbol], knownFile(this.files[file] ?? null)));
  }
}
