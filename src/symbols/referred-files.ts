/**
 * Lists the files with debug information of a binary: its own, and those that this one refers to (other-files.ts).
 */
import type { DebugReader } from './debug-info.js';
import { SplitUnits } from './dwarf/split-units.js';
import { DebugFile } from './dwarf/units.js';
import { loadDebugInfo } from './load-binary.js';
import { sharedLink } from './other-files.js';
import type { SymbolFiles, SymbolRoots } from './symbol-files.js';

export interface ReferredFiles {
  /** Where they were found: the file with the debug information, which may be the binary, first. */
  readonly paths: readonly string[];
  /** Names of those that were not found. */
  readonly missing: readonly string[];
}

/** `buildId` is the recorded one; null if unknown. */
export function referredFiles(
  binary: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
  { budget, zstd }: DebugReader,
): ReferredFiles {
  const paths = new Set<string>();
  let names: ReadonlySet<string> = new Set();
  const onFound = (path: string) => void paths.add(path);
  const read = ({ path, elf, others, missing }: Parameters<Parameters<typeof loadDebugInfo>[5]>[0]) => {
    onFound(path);
    names = missing;
    let tried: string | null = null;
    const noting = {
      ...others,
      *split(name: string, directory: string) {
        for (const half of others.split(name, directory)) {
          tried = half.path;
          yield half;
        }
      },
    };
    budget.begin(0);
    const reading = { budget, zstd, others: noting };
    const file = new DebugFile(elf, reading);
    const split = new SplitUnits(reading);
    budget.orNull(() => file.shared);
    for (const unit of file.units) {
      tried = null; // it stays so for a unit in a package
      budget.orNull(() => split.find(unit, () => tried !== null && onFound(tried)));
    }
  };
  loadDebugInfo(binary, buildId, files, roots, '.debug_info', read, onFound);
  return { paths: [...paths], missing: [...names].sort() };
}

/** Returns the build id of the file that dwz moved debug information of a binary to, if it is not found; else null. */
export function missingSharedId(
  binary: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
): string | null {
  let id: string | null = null;
  loadDebugInfo(binary, buildId, files, roots, '.debug_info', ({ elf, others }) => {
    const link = sharedLink(elf);
    if (link !== null && others.shared() === null) ({ id } = link);
  });
  return id;
}
