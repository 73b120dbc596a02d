/**
 * Lists the files whose code is needed to decode a recording: those that were mapped.
 */
import { access, constants, stat } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import { isMadeAtRunTime } from '../../model/symbol-table.js';
import type { Recording } from '../recording.js';
import { readElf } from './elf-file.js';

export interface NeededFile {
  /** Its path when it was recorded. */
  readonly path: string;
  /** Whether the file now at this path is the same, as far as can be checked, or another build, unreadable or missing. */
  readonly state: 'same' | 'changed' | 'unreadable' | 'missing';
  /** Build id of the recorded file; null: not in the recording. */
  readonly buildId: string | null;
  /** Files with its symbols, if they are separate. */
  readonly debugFiles: readonly string[];
}

/** `[vdso]`, `//toolong`, devices: nothing that can be copied or looked for. */
const NO_FILE = /^(?!\/)|^\/\/|^\/(?:dev|proc)\//;
const DELETED = ' (deleted)';
const DEBUG_FOLDER = '/usr/lib/debug';

/** Returns the files by path. `root`: directory of the files, as for perf's `--symfs`. */
export async function neededFiles(recording: Recording, root = '/'): Promise<NeededFile[]> {
  return Promise.all(mappedFiles(recording).map(({ path, buildId }) => neededFile(path, buildId, root)));
}

/** Returns the mapped files, by path; the build id is null if the recording does not have it. */
export function mappedFiles(recording: Recording): { readonly path: string; readonly buildId: string | null }[] {
  const buildIdOf = new Map(recording.buildIds.map(({ file, buildId }) => [file, buildId]));
  const mapped = new Set(
    recording.sideband.flatMap(({ record }) => (record.what === 'mmap' ? [record.file] : [])), // bytes as latin1 characters
  );
  const files = [...mapped].filter((path) => !NO_FILE.test(path) && !isMadeAtRunTime(path)).sort();
  const paths = files.map((latin1) => Buffer.from(latin1, 'latin1').toString());
  return paths.map((path) => ({ path, buildId: buildIdOf.get(path) ?? null }));
}

/** The kernel never writes ".." into a path, and appends " (deleted)" for deleted files. */
export function canBeFile(path: string): boolean {
  return !path.endsWith(DELETED) && path === normalize(path);
}

async function neededFile(path: string, buildId: string | null, root: string): Promise<NeededFile> {
  const file = { path, buildId, debugFiles: [] };
  if (!canBeFile(path) || !(await isFile(join(root, path)))) return { ...file, state: 'missing' };
  if (!(await isReadable(join(root, path)))) return { ...file, state: 'unreadable' };
  const elf = await readElf(join(root, path));
  if (buildId !== null && elf?.buildId !== buildId) return { ...file, state: 'changed' };
  const debugFiles = await existing(debugPaths(path, elf?.buildId ?? null, elf?.debugLink ?? null), root);
  return { ...file, state: 'same', debugFiles };
}

/** Where gdb and perf look for separate debug symbols. */
export function debugPaths(path: string, buildId: string | null, link: string | null): string[] {
  const byId = buildId && join(DEBUG_FOLDER, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  const folder = dirname(path);
  const name = link === null ? null : basename(link); // it must be a name, not a path
  const byName = name ? [join(folder, '.debug', name), join(DEBUG_FOLDER, folder, name)] : [];
  return [...(byId ? [byId] : []), ...byName, join(DEBUG_FOLDER, `${path}.debug`)];
}

async function existing(paths: readonly string[], root: string): Promise<string[]> {
  const there = await Promise.all(
    paths.map(async (path) => (await isFile(join(root, path))) && (await isReadable(join(root, path)))),
  );
  return paths.filter((_, index) => there[index]);
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
