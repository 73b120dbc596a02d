/**
 * Decodes a recording on one thread, again and again, and prints the nanoseconds of CPU time of each round: the first one with
 * a decoder that knows no code yet, the others with one that knows all of it.
 */
import { openSync } from 'node:fs';
import { argv, cpuUsage, stdout } from 'node:process';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../src/pipeline/decode/decode-task.js';
import { decodeContext, findBinaries } from '../../src/pipeline/decode/encoded-recording.js';
import { locator } from '../../src/pipeline/decode/locate.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';

const ROOTS = { root: '', cache: null };
const ROUNDS = 3;

const [, , path = ''] = argv;
const recording = await openRecording(path);
const { paths: binaries } = findBinaries(recording, DISK_FILES, ROOTS);
const naming = { files: null, roots: ROOTS, pltNames: 'perf-6.1', buildIds: new Map() } as const;
const locate = locator(naming);
const jumps = 'none' as const;
const own = {
  name: path,
  path,
  recording,
  binaries,
  jumps,
  naming,
  locate,
  sizeBytes: 0,
  recorded: null,
  broken: null,
};
const context = decodeContext(own, openSync(path, 'r'), decodePlan(own), 0n);
const decoder = new RecordingDecoder(context);
const events = new Int32Array(2 * context.eventBytes);

function decodeAll(): void {
  for (const [cpu, { trace }] of context.cpus.entries()) {
    for (const [stream, [{ offset }]] of trace.streams.entries()) {
      let part: Parameters<RecordingDecoder['decode']>[1] = {
        stream,
        lastStream: stream,
        offset,
        cut: Number.POSITIVE_INFINITY,
        state: null,
      };
      for (;;) {
        const { rest } = decoder.decode(cpu, part, events);
        if (rest === null) break;
        part = { ...part, ...rest };
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
