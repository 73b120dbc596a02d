/**
 * Selects the files that go into a pack: the binaries that the recording names, and their symbols. A recording may come from
 * an untrusted source and name any file, so a file is packed only if it is the one that was recorded.
 */
import type { FileHandle } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { debugReader, referredFiles } from '../../symbols/debug-info.js';
import { isJitDump, isJitDumpHeader, JIT_DUMP_HEADER_BYTES } from '../../symbols/jitdump.js';
import { binaryPaths, DISK_FILES } from '../../symbols/symbol-files.js';
import { mappedFiles } from '../mapped-files.js';
import type { Recording } from '../recording.js';
import { canBeFile, debugPaths, type ElfFile, readOpenElf } from './needed-files.js';
import { type CheckedFile, checkedFile, type OpenFailure, openBelow } from './write-pack.js';

/** `path`: in the recording. */
export interface PackableFile {
  readonly path: string;
  readonly file: CheckedFile;
}

export interface LeftOut {
  readonly path: string;
  readonly reason: OpenFailure | 'changed' | 'no-program' | 'unverified';
}

/** Decides which files without a recorded build id may be packed. */
export interface PackPolicy {
  /** Directory of the files, as for perf's `--symfs`; null: the root of this machine. */
  readonly symfs: string | null;
  /** The user who packs, and the owner of the recording. */
  readonly uid: number;
  readonly recordingUid: number;
  /** perf's copies by build id (`~/.debug`); absent: none. */
  readonly cache?: string;
}

export interface PackableFiles {
  /** By path: each binary, and then the files with its symbols and debug information. */
  readonly files: PackableFile[];
  readonly binaries: number;
  readonly leftOut: LeftOut[];
  /** Names of files that debug information refers to, and that are not there. */
  readonly missingDebug: string[];
}

export async function packableFiles(recording: Recording, policy: PackPolicy): Promise<PackableFiles> {
  const files: PackableFile[] = [];
  const leftOut: LeftOut[] = [];
  const missingDebug: string[] = [];
  let binaries = 0;
  for (const { path, buildId } of mappedFiles(recording)) {
    const found = canBeFile(path)
      ? await inspect(path, policy, (elf, file) => checkBuild(elf, buildId, file, policy))
      : 'missing';
    if (typeof found === 'string') {
      leftOut.push({ path, reason: found });
      continue;
    }
    const { paths, missing } = await referredBy(path, found.elf, policy);
    files.push({ path, file: found.file }, ...(await debugFiles(path, found.elf, policy)), ...paths);
    missingDebug.push(...missing);
    binaries++;
  }
  return { files, binaries, leftOut, missingDebug };
}

/** Returns the vdso, code that the kernel maps into each process, from `cache`, perf's cache by build id (`~/.debug`). */
export async function packableVdso({ buildIds }: Recording, cache: string): Promise<PackableFile[]> {
  const ids = buildIds.filter(({ file, buildId }) => file === '[vdso]' && BUILD_ID.test(buildId));
  const found = await Promise.all(
    ids.map(async ({ buildId }) => {
      const path = `.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}/vdso`;
      const vdso = await inspect(path, { symfs: cache }, (elf) => (isSameBuild(elf, buildId) ? null : 'changed'));
      return typeof vdso === 'string' ? [] : [{ path, file: vdso.file }];
    }),
  );
  return found.flat();
}

const BUILD_ID = /^(?:[0-9a-f]{2}){4,20}$/;

/** Opens a file, checks it, and closes it; returns the file, or the reason against it. */
async function inspect(
  path: string,
  { symfs }: Pick<PackPolicy, 'symfs'>,
  reasonAgainst: (elf: ElfFile, file: FileHandle) => LeftOut['reason'] | null | Promise<LeftOut['reason'] | null>,
): Promise<{ readonly file: CheckedFile; readonly elf: ElfFile } | LeftOut['reason']> {
  const file = await openBelow(symfs ?? '/', path);
  if (typeof file === 'string') return file;
  try {
    const elf = (await readOpenElf(file)) ?? (await readDump(path, file));
    if (elf === null || elf.isCore) return 'no-program';
    return (await reasonAgainst(elf, file)) ?? { file: await checkedFile(file), elf };
  } finally {
    await file.close();
  }
}

/** The code that a JIT compiler made has no build id either. */
async function readDump(path: string, file: FileHandle): Promise<ElfFile | null> {
  if (!isJitDump(path)) return null;
  const header = new Uint8Array(JIT_DUMP_HEADER_BYTES);
  const { bytesRead } = await file.read(header, 0, header.length, 0);
  return isJitDumpHeader(header.subarray(0, bytesRead)) ? { isCore: false, buildId: null, debugLink: null } : null;
}

async function checkBuild(elf: ElfFile, recorded: string | null, file: FileHandle, policy: PackPolicy) {
  if (recorded !== null) return isSameBuild(elf, recorded) ? null : 'changed';
  return (await mayBePackedUnverified(file, policy)) ? null : 'unverified';
}

/** Old versions of perf pad ids with zeros to 20 bytes. */
function isSameBuild({ buildId }: ElfFile, recorded: string): boolean {
  return !!buildId && recorded.startsWith(buildId) && /^0*$/.test(recorded.slice(buildId.length));
}

const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;

/**
 * Without a build id, nothing proves that the file is what ran. Root can read every file, while the author of the recording may not:
 * so root packs only files that everybody can read, or that the owner of the recording owns. Other users pack what they can read; so
 * does root below --symfs, a directory made for this purpose.
 */
async function mayBePackedUnverified(file: FileHandle, { symfs, uid, recordingUid }: PackPolicy): Promise<boolean> {
  if (symfs !== null || uid !== 0) return true;
  const stats = await file.stat();
  if (recordingUid !== 0 && stats.uid === recordingUid) return true;
  return (stats.mode & OTHERS_READ) !== 0 && (await mayOthersEnter(dirname((await checkedFile(file)).path)));
}

async function mayOthersEnter(directory: string): Promise<boolean> {
  if (((await stat(directory)).mode & OTHERS_ENTER) === 0) return false;
  return directory === '/' || mayOthersEnter(dirname(directory));
}

/** Separate symbols have the build id of their binary. */
async function debugFiles(path: string, program: ElfFile, policy: PackPolicy): Promise<PackableFile[]> {
  const candidates = debugPaths(path, program.buildId, program.debugLink);
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      const file = await inspect(candidate, policy, (elf, handle) => checkBuild(elf, program.buildId, handle, policy));
      return typeof file === 'string' ? [] : [{ path: candidate, file: file.file }];
    }),
  );
  return found.flat();
}

const CACHE_IN_PACK = '/.debug';

/**
 * Finds what reads of debug information (`--inline`, `--srcline`) also open: packages and files of split units, and those of dwz.
 * Nothing but names in a binary leads to them, so that they are packed as files without a build id are.
 */
async function referredBy(binary: string, { buildId }: ElfFile, policy: PackPolicy) {
  const { symfs, cache = null } = policy;
  const roots = { root: symfs ?? '', cache };
  const { paths, missing } = referredFiles(binary, buildId, DISK_FILES, roots, await debugReader(MEMORY_BYTES));
  const itself = binaryPaths(binary, buildId, roots);
  const others = paths.filter((at) => !itself.includes(at));
  const found = others.map(async (at): Promise<PackableFile[]> => {
    const isCopy = cache !== null && at.startsWith(`${cache}/`);
    const [folder, path] = isCopy ? [cache, at.slice(cache.length)] : [symfs, at.slice(roots.root.length)];
    const file = await inspect(path, { symfs: folder }, (elf, handle) => checkBuild(elf, null, handle, policy));
    return typeof file === 'string' ? [] : [{ path: isCopy ? CACHE_IN_PACK + path : path, file: file.file }];
  });
  return { paths: (await Promise.all(found)).flat(), missing };
}

/** Of the process: what debug information may take is a part of it. */
const MEMORY_BYTES = 2 ** 31;
