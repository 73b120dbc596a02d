/**
 * Records the program `waitlab` on this machine with `ptflame record`, and puts its truth on the recording's clock.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SampleTable } from '../../../src/model/sample-table.js';
import { wakingsPath } from '../../../src/perfdata/beside.js';
import { openRecording, openSideRecording } from '../../../src/perfdata/open-recording.js';
import { withWaits } from '../../../src/questions/waits/ask-waits.js';
import { momentsOf } from '../../../src/waits/moments.js';
import type { Waits } from '../../../src/waits/waits.js';
import { fixturePath, startPtflame } from '../../helpers/cli/run-cli.js';
import { LIBC } from '../../tools/tracing.js';
import { readTruth, type Truth } from './recorded.js';

export interface LiveRecording {
  readonly waits: Waits;
  readonly samples: readonly SampleTable[];
  readonly truth: readonly Truth[];
  /** Samples that perf lost because the machine was too busy. */
  readonly lost: number;
  /** False: this C library has no such function. */
  readonly hasOwnerProbe: boolean;
}

export async function recordLive(): Promise<LiveRecording> {
  const directory = mkdtempSync(join(tmpdir(), 'ptflame-waitlab-'));
  try {
    const source = fixturePath('waits/source/waitlab.c');
    execFileSync('gcc', ['-O2', '-g', '-fno-omit-frame-pointer', '-o', 'waitlab', source, '-lpthread'], {
      cwd: directory,
    });
    const hasOwnerProbe = readFileSync(LIBC!, 'latin1').includes(`\0${SLOW_PATH}\0`);
    const probes = [...PROBES, ...(hasOwnerProbe ? [`lock_slow=${LIBC}:${SLOW_PATH} lock=%di owner=+8(%di):s32`] : [])];
    const args = ['record', '--no-trace', '--waits=full', ...probes.map((probe) => `--probe=${probe}`)];
    const run = startPtflame([...args, '--', './waitlab', '-o', 'truth.jsonl'], { cwd: directory });
    const { exitCode, stderr } = await run;
    if (exitCode !== 0) throw new Error(String(stderr));
    const truth = readFileSync(join(directory, 'truth.jsonl'), 'utf8');
    return { ...(await read(join(directory, 'perf.data'), truth)), hasOwnerProbe };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const SLOW_PATH = '__lll_lock_wait';
const PROBES = [
  'queue_push=./waitlab:queue_push job=%di id=+0(%di):s64',
  'run_job=./waitlab:run_job job=%di id=+0(%di):s64',
  'handle_request=./waitlab:handle_request id=%di:s64',
];

/** The table of a probe, in whichever group it was recorded. */
export function probeOf(samples: readonly SampleTable[], name: string): SampleTable {
  const found = samples.find(({ event }) => event.endsWith(`:${name}`));
  if (found === undefined) throw new Error(`no samples of the probe ${name}`);
  return found;
}

async function read(path: string, text: string): Promise<Omit<LiveRecording, 'hasOwnerProbe'>> {
  const name = 'perf.data';
  const sampled = await openRecording(path);
  const sides = [await openSideRecording({ name, recording: sampled }, wakingsPath(path))];
  const input = { name, sampled, sides, recorded: null, broken: null };
  return withWaits([input], {}, async ({ trace: { samples, account }, waits }) => {
    const lost = account.samples.lost + account.sides.reduce((sum, side) => sum + side.lost, 0);
    return { waits, samples, truth: readTruth(text, clockOffset(readTruth(text, 0), samples)), lost };
  });
}

/**
 * Returns by how much the program's clock is ahead of the recording's: a request notes its beginning right after its
 * probe. No thread is always interrupted in between, so the smallest difference is right within microseconds.
 */
function clockOffset(truth: readonly Truth[], samples: readonly SampleTable[]): number {
  const { timeNs, key } = momentsOf(probeOf(samples, 'handle_request'), 'id');
  const beginnings = new Map(
    truth.filter(({ kind }) => kind === 'request').map(({ request, from }) => [request, from]),
  );
  return Math.min(...Array.from(timeNs, (atNs, row) => (beginnings.get(Number(key[row])) ?? Number.NaN) - atNs));
}
