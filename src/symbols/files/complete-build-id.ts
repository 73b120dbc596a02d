/**
 * Checks that a downloaded file is a complete binary, and returns its build id.
 */
import { readElf, SectionType } from '../elf/elf-file.js';
import { buildIdOf } from '../elf/identity.js';
import { DISK_FILES } from './disk-files.js';

/** Returns null if the file is missing, not an x86-64 binary, incomplete, or without a build id. */
export function completeBuildId(path: string): string | null {
  const file = DISK_FILES.open(path);
  if (file === null) return null;
  try {
    const { elf } = readElf(file);
    if (elf === null || elf.sections.length === 0) return null;
    const isComplete = elf.sections.every(
      ({ type, offset, length }) => type === SectionType.NoBits || offset + length <= file.length,
    );
    return isComplete ? buildIdOf(elf) : null;
  } finally {
    file.close();
  }
}
