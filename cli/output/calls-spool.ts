/**
 * All calls of a trace as a Parquet file: kept in a file without a name while threads are replayed, then written out.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallsFile, fileAbout } from '../../src/exports.js';
import { type AnalyzeOptions, PtflameError } from '../../src/profiles.js';
import { createTemporaryDirectory } from './temporary-files.js';
import { whyUnwritable } from './write-chunks.js';

type CallsQuestion = NonNullable<AnalyzeOptions['callRows']>;

const CHUNK_BYTES = 2 ** 20;

export class CallsSpool {
  /** What is asked of the analysis. */
  readonly question: CallsQuestion;
  private readonly file: CallsFile;
  private readonly head: Uint8Array;
  private readonly directory: string;
  private readonly fd: number;
  private size = 0;

  /** `directory`: of temporary files. @throws PtflameError TEMPORARY_FILE */
  constructor({ id, minNs }: Omit<CallsQuestion, 'onThread'>, directory: string | undefined) {
    this.directory = directory ?? tmpdir();
    this.fd = openNameless(this.directory);
    this.file = new CallsFile(id, fileAbout('calls', id));
    this.head = this.file.head();
    this.question = {
      id,
      minNs,
      onThread: (groups) => {
        this.file.add(groups);
        for (const part of groups.parts) this.append(part);
      },
    };
  }

  /** Returns the file, once all threads were replayed. */
  *chunks(): Generator<Uint8Array> {
    yield this.head;
    for (let at = 0; at < this.size; ) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, this.size - at));
      const length = readSync(this.fd, chunk, 0, chunk.length, at);
      at += length;
      yield chunk.subarray(0, length);
    }
    closeSync(this.fd);
    yield this.file.end();
  }

  private append(bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done);
    } catch (cause) {
      throw new PtflameError('TEMPORARY_FILE', `cannot write to ${this.directory}: ${whyUnwritable(cause)}`, {
        hint: 'choose a directory with more space: --temp-dir DIR',
        cause,
      });
    }
    this.size += bytes.length;
  }
}

/** The file disappears with the process, however that ends. */
function openNameless(parent: string): number {
  const directory = createTemporaryDirectory(parent);
  const fd = openSync(join(directory, 'calls'), 'wx+', 0o600);
  rmSync(directory, { recursive: true });
  return fd;
}
