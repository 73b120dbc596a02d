/**
 * Lists the files whose code is needed to decode a recording: those that were mapped.
 */
import { latin1Bytes, utf8Text } from '../codec/bytes.js';
import { isMadeAtRunTime } from '../model/symbol-table.js';
import type { Recording } from './recording.js';

/** `[vdso]`, `//toolong`, devices: nothing that can be copied or looked for. */
const NO_FILE = /^(?!\/)|^\/\/|^\/(?:dev|proc)\//;

/** Returns the mapped files, by path; the build id is null if the recording does not have it. */
export function mappedFiles(recording: Recording): { readonly path: string; readonly buildId: string | null }[] {
  const buildIdOf = new Map(recording.buildIds.map(({ file, buildId }) => [file, buildId]));
  const mapped = new Set(
    recording.sideband.flatMap(({ record }) => (record.what === 'mmap' ? [record.file] : [])), // bytes as latin1 characters
  );
  const files = [...mapped].filter((path) => !NO_FILE.test(path) && !isMadeAtRunTime(path)).sort();
  const paths = files.map((latin1) => utf8Text(latin1Bytes(latin1)));
  return paths.map((path) => ({ path, buildId: buildIdOf.get(path) ?? null }));
}
