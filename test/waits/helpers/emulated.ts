/**
 * Emulated recordings of `waitlab` with Intel PT, decoded with what ran of its binaries.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TraceWaits, withWaits } from '../../../src/questions/waits/ask-waits.js';
import { encodedOf } from '../../helpers/perf/both-decoders.js';
import { fixture } from '../../helpers/traces/load.js';
import { readTruth, type Truth } from './recorded.js';

const BINARIES = {
  waitlab: 'opt/wl/lab/waitlab',
  'libc.so.6': 'usr/lib/x86_64-linux-gnu/libc.so.6',
  'ld-linux-x86-64.so.2': 'usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2',
};

export interface Emulated extends TraceWaits {
  readonly truth: readonly Truth[];
  readonly calls: NonNullable<TraceWaits['calls']>;
}

/** Hands a recording to a function, which may ask for more calls for as long as it runs. */
export async function withEmulated<Result>(
  name: string,
  work: (emulated: Emulated) => Promise<Result>,
): Promise<Result> {
  return withEncoded(name, (encoded) =>
    withWaits([encoded], { jobs: 1 }, async (waits) => {
      const truth = readTruth(
        fixture(`waits/${name}.truth.jsonl.gz`).toString(),
        (waits.trace.originSeconds ?? 0) * 1e9,
      );
      if (waits.calls === null) throw new Error('no calls');
      return work({ ...waits, calls: waits.calls, truth });
    }),
  );
}

/** Hands a recording that is not read yet to a function. */
export async function withEncoded<Result>(
  name: string,
  work: (encoded: Awaited<ReturnType<typeof encodedOf>>) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'ptflame-emulated-'));
  try {
    for (const [binary, path] of Object.entries(BINARIES)) write(join(directory, path), `root/${binary}`);
    write(join(directory, 'perf.data'), `${name}.data`);
    return await work(await encodedOf(join(directory, 'perf.data'), directory, false));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function write(path: string, name: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fixture(`waits/${name}.gz`));
}
