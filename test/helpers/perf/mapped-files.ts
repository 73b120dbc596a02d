/**
 * Files that a recording maps, and a folder that has some of them.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Recording } from '../../../src/perfdata/recording.js';
import type { Directory } from '../cli/run-cli.js';
import { recordingOf } from './recordings.js';

/** Writes a file at a path below a folder. */
export async function install(dir: Directory, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(dir.file(path)), { recursive: true });
  await dir.write(path, content);
}

/** `files`: mapped paths, with the build ids recorded for them. */
export function recordingOfFiles(files: Readonly<Record<string, string | null>>): Recording {
  const sideband = Object.keys(files).map((path) => {
    const file = Buffer.from(path).toString('latin1');
    const record = { what: 'mmap' as const, pid: 1, start: 0, length: 1, fileOffset: 0, file };
    return { tid: 1, pid: 1, cpu: 0, time: null, record };
  });
  const buildIds = Object.entries(files).flatMap(([file, buildId]) =>
    buildId === null ? [] : [{ file, buildId, isKernel: false }],
  );
  return recordingOf({ sideband, buildIds });
}
