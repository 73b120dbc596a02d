/**
 * Draws libraries of a profile as one frame each, as the page does: runs of their frames become one; or gives them to
 * their callers. All time is kept.
 */
import { functionSet } from '../../analysis/questions.js';
import { giveToCallers, mergeRuns } from '../../analysis/tree/reshape.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { FunctionDurations } from '../../model/calls/durations.js';
import { PtflameError } from '../../model/errors.js';
import type { Profile } from '../../model/profile/profile.js';
import { shortFileName } from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';
import { type Libraries, librariesOf, libraryNames, withFrames } from './libraries.js';

/**
 * `names`: of files with or without their directory, or as legends have them: "libc.so.6", "libc", "kernel". How long the calls of
 * such a frame lasted is known in sum, not one by one. `folded`: those whose frames become part of their callers, if they have any.
 *
 * @throws PtflameError BAD_OPTION for a library that is not in the profile
 */
export function collapseLibraries(
  profile: Profile,
  names: readonly string[] = [],
  folded: readonly string[] = [],
): Profile {
  if (names.length + folded.length === 0) return profile;
  const libraries = librariesOf(profile.symbols);
  const named = (all: readonly string[]) => all.flatMap((name) => librariesNamed(libraries, name));
  const isCollapsed = new Set(named([...names, ...folded]));
  const first = profile.symbols.length;
  const symbols = withFrames(profile.symbols, libraries);
  const drawnAs = Int32Array.from({ length: symbols.length }, (_, symbol) => {
    const library = libraries.of[symbol] ?? NONE;
    return isCollapsed.has(library) ? first + library : symbol;
  });
  const durationsOf = (durations: FunctionDurations | null) => durations && withoutSymbols(durations, drawnAs);
  const given = functionSet(
    named(folded).map((library) => first + library),
    symbols.length,
  );
  const treeOf = (tree: CallTree) => {
    const merged = mergeRuns(tree, drawnAs);
    return folded.length === 0 ? merged : giveToCallers(merged, given);
  };
  return {
    ...profile,
    symbols,
    together: profile.together && treeOf(profile.together),
    durations: durationsOf(profile.durations),
    threads: profile.threads.map((thread) => ({
      ...thread,
      tree: treeOf(thread.tree),
      durations: durationsOf(thread.durations),
    })),
  };
}

/** At most so many libraries are named to whom meant another. */
const MAX_NAMED = 20;

function librariesNamed(libraries: Libraries, name: string): number[] {
  const { files } = libraries;
  const short = libraryNames(libraries);
  const found = files.flatMap((file, at) => ([file, shortFileName(file), short[at]].includes(name) ? [at] : []));
  if (found.length > 0) return found;
  const listed = short.slice(0, MAX_NAMED).join(', ') + (short.length > MAX_NAMED ? ', …' : '');
  throw new PtflameError('BAD_OPTION', `no function of a library ${name} ran`, {
    hint: files.length === 0 ? 'the trace names no files of functions' : `libraries here: ${listed}`,
  });
}

/** Without the durations of functions that are drawn as others. */
function withoutSymbols(durations: FunctionDurations, drawnAs: Int32Array): FunctionDurations {
  const isLeft = (_: unknown, row: number) => drawnAs[durations.symbol[row]] === durations.symbol[row];
  const symbol = durations.symbol.filter(isLeft);
  const [bucket, calls] = [durations.bucket.filter(isLeft), durations.calls.filter(isLeft)];
  return { length: symbol.length, symbol, bucket, calls };
}
