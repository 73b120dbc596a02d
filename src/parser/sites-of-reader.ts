/**
 * The branches that a reader tells of, and their sites.
 *
 * Readers number branches for themselves, and in threads of their own they come to them in any order: a site is given out
 * when the trace comes to its branch.
 */
import { FAR, NEAR_LENGTH } from '../model/event-run.js';
import type { SiteId } from '../model/units.js';
import type { Origin } from './branch-ends.js';
import type { Interner } from './intern.js';
import type { NewBranches } from './line-reader.js';

const NOT_YET = -1;

export class SitesOfReader {
  private sites = new Int32Array(1024).fill(NOT_YET);
  private branches = 0;
  readonly pairs: number[] = [];
  readonly origins: Origin[] = [];
  readonly targets: string[] = [];
  /** Numbers of the locations of both, as far as they are known. */
  private readonly fromOf: number[] = [];
  private readonly toOf: number[] = [];
  private readonly interner: Interner;

  constructor(interner: Interner) {
    this.interner = interner;
  }

  /** The same, for a reader that begins with what this one knows. */
  copy(): SitesOfReader {
    const copy = new SitesOfReader(this.interner);
    copy.hear(this);
    copy.sites.set(this.sites);
    return copy;
  }

  /** Hears of the branches that the reader tells of next. */
  hear({ origins, targets, pairs }: NewBranches): void {
    for (const origin of origins) this.origins.push(origin);
    for (const target of targets) this.targets.push(target);
    for (const end of pairs) this.pairs.push(end);
    this.branches = this.pairs.length / 2;
    if (this.branches <= this.sites.length) return;
    const larger = new Int32Array(2 * this.branches).fill(NOT_YET);
    larger.set(this.sites);
    this.sites = larger;
  }

  siteOf(branch: number): SiteId {
    const site = this.sites[branch];
    return site === NOT_YET ? this.newSite(branch) : site;
  }

  /** Puts sites in the place of the branches of a run (model/event-run.ts). */
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
    const { interner, fromOf, toOf } = this;
    const origin = this.pairs[2 * branch] as number;
    const target = this.pairs[2 * branch + 1] as number;
    const { kind, edge, from } = this.origins[origin] as Origin;
    const site = interner.siteBetween(
      kind,
      edge,
      (fromOf[origin] ??= interner.location(from)),
      (toOf[target] ??= interner.location(this.targets[target] as string)),
    );
    this.sites[branch] = site;
    return site;
  }
}
