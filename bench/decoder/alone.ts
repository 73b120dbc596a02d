/**
 * Decodes a recording on one thread, again and again, and prints the nanoseconds of CPU time of each round: the first one with
 * a decoder that knows no code yet, the others with one that knows all of it.
 */
import { argv, cpuUsage, stdout } from 'node:process';
import { partsOf } from '../../src/decode/streams.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../src/pipeline/decode/decode-task.js';
import { decodeContext } from '../../src/pipeline/decode/encoded-recording.js';
import { findBinaries, locator, openRecording } from '../../src/recordings.js';

const ROOTS = { root: '', cache: null };
const ROUNDS = 3;

const [, , path = ''] = argv;
const recording = await openRecording(path);
const { paths: binaries } = findBinaries(recording, ROOTS);
const locate = locator({ roots: ROOTS, pltNames: 'perf-6.1', buildIds: new Map() });
const own = { name: path, path, recording, binaries, locate, sizeBytes: 0, recorded: null, broken: null };
const context = decodeContext({ ...own, allBranches: false }, decodePlan(own), 0n);
const decoder = new RecordingDecoder(context);
const events = new Int32Array(2 * context.eventBytes);

function decodeAll(): void {
  for (const [cpu, { trace }] of context.cpus.entries()) {
    for (const first of partsOf(trace.streams, Number.POSITIVE_INFINITY)) {
      let part = first;
      for (;;) {
        const { rest } = decoder.decode(cpu, part, events);
        if (rest === null) break;
        part = { ...rest, lastStream: part.lastStream, cut: part.cut };
      }
    }
  }
}

const rounds = Array.from({ length: ROUNDS }, () => {
  const before = cpuUsage();
  decodeAll();
  const { user, system } = cpuUsage(before);
  return (user + system) * 1000;
});
decoder.close();
stdout.write(JSON.stringify(rounds));
