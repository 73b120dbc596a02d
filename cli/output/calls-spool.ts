/**
 * All calls of a trace as a Parquet file: kept in a file without a name while threads are replayed, then written out.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { callsSchema } from '../../src/parquet/call-groups.js';
import { sharedNames } from '../../src/parquet/hashes.js';
import { ParquetFile } from '../../src/parquet/parquet-file.js';
import { fileAbout } from '../../src/parquet/recording-tables.js';
import type { AnalyzeOptions } from '../../src/pipeline/analyze.js';
import { type Place, sharedFile } from '../../src/pipeline/workers/shared-file.js';
import { createTemporaryDirectory } from './temporary-files.js';
import { whyUnwritable } from './write-chunks.js';

type CallsQuestion = NonNullable<AnalyzeOptions['callRows']>;

/** A key of its metadata: shorter calls are left out. */
const MIN_CALL = 'ptflame.min_call_ns';

const CHUNK_BYTES = 2 ** 20;

export class CallsSpool {
  /** What is asked of the analysis. */
  readonly question: CallsQuestion;
  private readonly file: ParquetFile;
  private readonly head: Uint8Array;
  private readonly directory: string;
  private readonly fd: number;
  /** Of the bytes between head and end, in their order. */
  private readonly places: Place[] = [];

  /** `directory`: of temporary files. @throws PtflameError TEMPORARY_FILE */
  constructor({ id, minNs }: Pick<CallsQuestion, 'id' | 'minNs'>, directory: string | undefined) {
    this.directory = directory ?? tmpdir();
    this.fd = openNameless(this.directory);
    this.file = new ParquetFile(callsSchema(id), {
      ...fileAbout('calls', id),
      ...(minNs > 0 && { [MIN_CALL]: String(minNs) }),
    });
    this.head = this.file.head();
    this.question = {
      id,
      minNs,
      file: sharedFile(this.fd),
      namesOf: sharedNames,
      onThread: ({ failure, places, ...groups }) => {
        if (failure !== null) throw this.unwritable(failure);
        this.file.add(groups);
        this.places.push(...places);
      },
    };
  }

  /** Returns the file, once all threads were replayed. */
  *chunks(): Generator<Uint8Array> {
    yield this.head;
    for (const place of joined(this.places)) yield* this.read(place);
    closeSync(this.fd);
    yield this.file.end();
  }

  private *read({ at, length }: Place): Generator<Uint8Array> {
    for (let done = 0; done < length; ) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, length - done));
      const read = readSync(this.fd, chunk, 0, chunk.length, at + done);
      done += read;
      yield chunk.subarray(0, read);
    }
  }

  private unwritable(cause: unknown): PtflameError {
    return new PtflameError('TEMPORARY_FILE', `cannot write to ${this.directory}: ${whyUnwritable(cause)}`, {
      hint: 'choose a directory with more space: --temp-dir DIR',
      cause,
    });
  }
}

/** Joins places that touch: threads with few calls have a few bytes each. */
function* joined(places: readonly Place[]): Generator<Place> {
  let [at, length] = [0, 0];
  for (const place of places) {
    if (place.at !== at + length) {
      yield { at, length };
      [at, length] = [place.at, 0];
    }
    length += place.length;
  }
  yield { at, length };
}

/** The file disappears with the process, however that ends. */
function openNameless(parent: string): number {
  const directory = createTemporaryDirectory(parent);
  const fd = openSync(join(directory, 'calls'), 'wx+', 0o600);
  rmSync(directory, { recursive: true });
  return fd;
}
