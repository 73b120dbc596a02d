/**
 * The files whose code a recording needs to be decoded: those that were mapped, as they were.
 */
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Recording } from '../perfdata/recording.js';
import { readElf } from './elf-file.js';

export interface NeededFile {
  /** Where it was when it was recorded. */
  readonly path: string;
  /** What is there now: the same, as far as anybody can tell; another build; or nothing. */
  readonly state: 'same' | 'changed' | 'missing';
  /** Of what was recorded; null: the recording does not tell. */
  readonly buildId: string | null;
  /** Files with its symbols, where they lie apart. */
  readonly debugFiles: readonly string[];
}

/** Memory that is no file: `//anon`, `[vdso]`, shared memory, devices. */
const NO_FILE = /^(?!\/)|^\/\/|^\/(?:dev|proc|memfd:|SYSV|anon_hugepage)/;
const DELETED = ' (deleted)';
const DEBUG_FOLDER = '/usr/lib/debug';

/** By path. `root`: where the files lie, as for perf's `--symfs`. */
export async function neededFiles(recording: Recording, root = '/'): Promise<NeededFile[]> {
  const buildIdOf = new Map(recording.buildIds.map(({ file, buildId }) => [file, buildId]));
  const mapped = new Set(
    recording.sideband.flatMap(({ record }) => (record.what === 'mmap' ? [record.file] : [])), // bytes as latin1 characters
  );
  const paths = [...mapped].filter((path) => !NO_FILE.test(path)).sort();
  return Promise.all(paths.map((path) => neededFile(path, buildIdOf.get(path) ?? null, root)));
}

async function neededFile(latin1: string, buildId: string | null, root: string): Promise<NeededFile> {
  const path = Buffer.from(latin1, 'latin1').toString();
  const file = { path, buildId, debugFiles: [] };
  if (path.endsWith(DELETED) || !(await isFile(join(root, path)))) return { ...file, state: 'missing' };
  const elf = await readElf(join(root, path));
  if (buildId !== null && elf?.buildId !== buildId) return { ...file, state: 'changed' };
  const debugFiles = await existing(debugPaths(path, elf?.buildId ?? null, elf?.debugLink ?? null), root);
  return { ...file, state: 'same', debugFiles };
}

/** Where gdb and perf look for symbols that were split off. */
function debugPaths(path: string, buildId: string | null, link: string | null): string[] {
  const byId = buildId && join(DEBUG_FOLDER, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  const folder = dirname(path);
  const name = link === null ? null : basename(link); // it is a name, not a path
  const byName = name ? [join(folder, '.debug', name), join(DEBUG_FOLDER, folder, name)] : [];
  return [...(byId ? [byId] : []), ...byName, join(DEBUG_FOLDER, `${path}.debug`)];
}

async function existing(paths: readonly string[], root: string): Promise<string[]> {
  const there = await Promise.all(paths.map((path) => isFile(join(root, path))));
  return paths.filter((_, index) => there[index]);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
