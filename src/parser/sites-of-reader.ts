/**
 * The branches that a reader tells of, and their sites.
 *
 * A reader in a thread of its own may tell of them in another order than the trace has: a site is given out when the
 * trace comes to its branch, so that it does not depend on which reader was faster.
 */
import type { Interner } from './intern.js';
import { type BranchText, OTHER, type ReadLines } from './line-reader.js';

const NOT_YET = 0xffffffff;

export class SitesOfReader {
  private sites = new Uint32Array(1024).fill(NOT_YET);
  private readonly branches: BranchText[] = [];
  private readonly interner: Interner;

  constructor(interner: Interner) {
    this.interner = interner;
  }

  /** Hears of the branches that the reader tells of next. */
  hear(branches: readonly BranchText[]): void {
    for (const branch of branches) this.branches.push(branch);
  }

  /** Sites by the numbers of branches, of all that these lines hold. */
  of({ branch, length }: ReadLines): Uint32Array {
    this.makeRoom();
    for (let row = 0; row < length; row++) {
      const number = branch[row];
      if (number !== OTHER && this.sites[number] === NOT_YET) this.sites[number] = this.siteOf(number);
    }
    return this.sites;
  }

  private siteOf(number: number): number {
    const { kind, edge, from, to } = this.branches[number] as BranchText;
    return this.interner.site(kind, edge, from, to);
  }

  private makeRoom(): void {
    if (this.branches.length <= this.sites.length) return;
    const larger = new Uint32Array(2 * this.branches.length).fill(NOT_YET);
    larger.set(this.sites);
    this.sites = larger;
  }
}
