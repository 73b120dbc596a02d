/**
 * Recordings of the program `waitlab`, whose threads wait for each other in known ways, and what it knows about them.
 */

import { readRecording } from '../../../src/perfdata/read-recording.js';
import type { SampledRecording } from '../../../src/pipeline/read/recording-source.js';
import { withTrace } from '../../../src/pipeline/with-trace.js';
import type { WaitInput } from '../../../src/waits/schedule.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture } from '../../helpers/traces/load.js';

/** Times are on the clock of the recording. */
export interface Truth {
  readonly kind: 'wait' | 'hold' | 'signal' | 'part' | 'request' | 'busy';
  readonly scenario: string;
  readonly tid: number;
  readonly fn: string;
  readonly from: number;
  readonly to: number;
  /** Of waits: why. */
  readonly reason: string;
  readonly address: string;
  /** Of waits: for which thread; 0 for none, -1 for several. */
  readonly for: number;
  /** Of waits: what that thread did meanwhile. */
  readonly forFn: string;
  /** Of signals: when. */
  readonly at: number;
  readonly request: number;
}

export interface Recorded {
  readonly name: string;
  readonly input: WaitInput;
  readonly truth: readonly Truth[];
}

/** On a real machine: three rounds, and the wakings by all threads of the machine. */
export const recordReal = () => recorded('waitlab', ['waitlab.proc', 'waitlab.wake']);
/** Emulated: one round, without the ends of futex calls. */
export const recordEmulated = () => recorded('waits', ['waits']);

async function recorded(name: string, files: readonly string[]): Promise<Recorded> {
  const inputs = files.map(async (file): Promise<SampledRecording> => {
    const sampled = await readRecording(fileOf(fixture(`waits/${file}.data.gz`)));
    return { name: file, sampled, sides: [], recorded: null, broken: null };
  });
  const options = { byCalls: false, mayLackBranches: true };
  return withTrace(await Promise.all(inputs), options, async ({ samples, store, originSeconds }) => {
    const input = { samples, switches: store.switches(), threads: [], lost: [] };
    return { name, input, truth: truthOf(name, (originSeconds ?? 0) * 1e9) };
  });
}

function truthOf(name: string, originNs: number): Truth[] {
  return readTruth(fixture(`waits/${name}.truth.jsonl.gz`).toString(), originNs);
}

/** `originNs`: what to subtract from the program's times. */
export function readTruth(text: string, originNs: number): Truth[] {
  const all = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Truth);
  return all.map((truth) => ({
    ...truth,
    from: truth.from - originNs,
    to: truth.to - originNs,
    at: truth.at - originNs,
  }));
}
