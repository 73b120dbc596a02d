/**
 * The file that perf wrote: is it whole?
 */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAGIC = 'PERFILE2';
/** Where the header says how long the data is; perf writes it last. */
const DATA_SIZE_AT = 48;

export interface RecordingFile {
  readonly bytes: number;
  /** It has a header of perf's, and the data that it tells of. */
  readonly isComplete: boolean;
}

/** null if there is none. */
export async function inspectRecording(path: string): Promise<RecordingFile | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DATA_SIZE_AT + 8), 0, DATA_SIZE_AT + 8, 0);
    const { size } = await file.stat();
    const dataBytes = bytesRead < DATA_SIZE_AT + 8 ? 0n : buffer.readBigUInt64LE(DATA_SIZE_AT);
    const isPerf = buffer.toString('latin1', 0, MAGIC.length) === MAGIC;
    return { bytes: size, isComplete: isPerf && dataBytes > 0n && dataBytes < BigInt(size) };
  } finally {
    await file.close();
  }
}

/**
 * Has the system write all of it to the disk: perf leaves that to whoever cares. `path`: a file, or a directory of `--kcore`.
 *
 * @throws what the system says where it cannot; some file systems know no flushing, and do without
 */
export async function flushRecording(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).isDirectory())
      for (const name of await readdir(path)) await flushRecording(join(path, name));
    await file.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    await file.close();
  }
}

export async function fileBytes(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
