/**
 * What a state leaves out of call trees, and what it draws as one frame. Time is left out or moved, never lost: the self times
 * of what is left and of what is left out add up to the time of the tree.
 */
import type { CallPaths } from '../../analysis/findings/pure-waits.js';
import { type FunctionSet, functionSet, isInSet } from '../../analysis/questions.js';
import { excludeFunctions, foldRecursion, mergeRuns, reroot } from '../../analysis/tree/reshape.js';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { type Libraries, librariesOf, libraryNames, withFrames } from '../../render/frames/libraries.js';
import { visibleText } from '../../render/visible-text.js';
import type { State } from './state.js';

/** The part of a state that says so. */
export type LeavingOut = Pick<
  State,
  'focus' | 'onlyLibrary' | 'hidden' | 'hiddenLibraries' | 'collapsed' | 'foldsRecursion'
>;

export function leavesNothingOut(state: LeavingOut): boolean {
  const { focus, onlyLibrary, hidden, hiddenLibraries, collapsed, foldsRecursion } = state;
  const lists = [hidden, hiddenLibraries, collapsed];
  return focus === null && onlyLibrary === '' && lists.every(({ length }) => length === 0) && !foldsRecursion;
}

export interface Reshaping {
  /** Only what is inside these functions, one set after the other. */
  readonly inside: readonly FunctionSet[];
  /** null: none. */
  readonly hidden: FunctionSet | null;
  /** By symbol: what its frames are drawn as; null: as themselves. */
  readonly drawnAs: Int32Array | null;
  readonly foldsRecursion: boolean;
}

/** Which call paths are shown. */
export interface PathFilters extends Reshaping {
  /** Hidden, too: pure waits, by their paths within what is left; null: none. */
  readonly hiddenWaits: CallPaths | null;
}

/** Returns what is inside and not hidden. */
export function leave(tree: CallTree, { inside, hidden }: Reshaping): CallTree {
  const within = inside.reduce(reroot, tree);
  return hidden === null ? within : excludeFunctions(within, hidden);
}

/** Merges the frames that are drawn as one. */
export function merge(tree: CallTree, { drawnAs, foldsRecursion }: Reshaping): CallTree {
  const merged = drawnAs === null ? tree : mergeRuns(tree, drawnAs);
  return foldsRecursion ? foldRecursion(merged) : merged;
}

/** The files of functions, and a frame for each file that stands for all of its functions. */
export class LibraryFrames {
  /** The symbols of the page, and one for each library. */
  readonly symbols: SymbolTable;
  private readonly libraries: Libraries;
  private readonly first: SymbolId;
  private readonly shortNames: readonly string[];

  constructor(symbols: SymbolTable) {
    this.libraries = librariesOf(symbols);
    this.first = symbols.length;
    this.shortNames = libraryNames(this.libraries).map(visibleText);
    this.symbols = withFrames(symbols, this.libraries);
  }

  /** In the order of their colours. */
  get files(): readonly string[] {
    return this.libraries.files;
  }

  /** Returns the file of a function; empty: it was not recorded, or it is no function. */
  fileOf(symbol: SymbolId): string {
    return this.files[symbol - this.first] ?? this.files[this.libraries.of[symbol] ?? NONE] ?? '';
  }

  /** Returns the library that a frame stands for; null: a function. */
  collapsedAt(symbol: SymbolId): string | null {
    return this.files[symbol - this.first] ?? null;
  }

  /** Returns the name of a library, as frames and legend have it. */
  nameOf(file: string): string {
    return this.shortNames[this.files.indexOf(file)] ?? file;
  }

  reshapingOf({ focus, onlyLibrary, hidden, hiddenLibraries, collapsed, foldsRecursion }: LeavingOut): Reshaping {
    const { first, libraries } = this;
    const { length } = this.symbols;
    const functionsOf = (files: readonly string[]) => {
      const wanted = new Set(files.map((file) => this.files.indexOf(file)));
      return libraries.of.flatMap((library, symbol) => (library !== NONE && wanted.has(library) ? [symbol] : []));
    };
    const out = [...hidden, ...functionsOf(hiddenLibraries)];
    const drawnAs = Int32Array.from({ length }, (_, symbol) => symbol);
    for (const symbol of functionsOf(collapsed)) drawnAs[symbol] = first + (libraries.of[symbol] as number);
    return {
      inside: [
        ...(focus === null ? [] : [functionSet([focus], length)]),
        ...(onlyLibrary === '' ? [] : [functionSet(functionsOf([onlyLibrary]), length)]),
      ],
      hidden: out.length === 0 ? null : functionSet(out, length),
      drawnAs: collapsed.length === 0 ? null : drawnAs,
      foldsRecursion,
    };
  }
}

/** What is left out, in time. */
export interface LeftOut {
  /** Outside the function, and of that outside the library. */
  readonly focusNs: Nanoseconds;
  readonly onlyLibraryNs: Nanoseconds;
  /** By function: what was hidden because of it, with what it called. */
  readonly hiddenNs: ReadonlyMap<SymbolId, Nanoseconds>;
}

/** Returns what is left out of a tree. The times add up to what is missing in the tree as it is drawn. */
export function leftOut(tree: CallTree, { inside, hidden }: Reshaping, state: LeavingOut): LeftOut {
  const trees = [tree];
  for (const set of inside) trees.push(reroot(trees.at(-1) as CallTree, set));
  const totals = trees.map(({ selfNs }) => selfNs.reduce((sum, ns) => sum + ns, 0));
  const lostAt = (step: number) => (totals[step] ?? 0) - (totals[step + 1] ?? totals[step] ?? 0);
  const hasFocus = state.focus !== null;
  return {
    focusNs: hasFocus ? lostAt(0) : 0,
    onlyLibraryNs: state.onlyLibrary === '' ? 0 : lostAt(hasFocus ? 1 : 0),
    hiddenNs: hidden === null ? new Map() : hiddenTimes(trees.at(-1) as CallTree, hidden),
  };
}

/** The outermost hidden function on a path counts. */
function hiddenTimes({ length, parent, symbol, selfNs }: CallTree, hidden: FunctionSet): Map<SymbolId, Nanoseconds> {
  const times = new Map<SymbolId, Nanoseconds>();
  const cause = new Int32Array(length).fill(NONE);
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    const above = cause[parent[node]];
    cause[node] = above !== NONE ? above : isInSet(hidden, symbol[node]) ? symbol[node] : NONE;
    if (cause[node] !== NONE) times.set(cause[node], (times.get(cause[node]) ?? 0) + selfNs[node]);
  }
  return times;
}
